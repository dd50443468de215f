package org.loans.model;

public enum Order {
  TITLE("title"),
  DUE("due_on");

  private final String column;

  Order(String column) {
    this.column = column;
  }

  public String column() {
    return column;
  }
}
