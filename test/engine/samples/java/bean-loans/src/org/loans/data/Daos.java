package org.loans.data;

public final class Daos {
  private static final Daos ALL = new Daos();
  private final FilteredLoans filtered = new SqlFilteredLoans();

  public static Daos all() {
    return ALL;
  }

  public FilteredLoans filtered() {
    return filtered;
  }
}
