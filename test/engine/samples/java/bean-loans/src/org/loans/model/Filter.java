package org.loans.model;

public class Filter {
  public String borrower;
  public int weeks;
}
