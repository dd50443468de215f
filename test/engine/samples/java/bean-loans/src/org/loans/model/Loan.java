package org.loans.model;

public class Loan {
  private String title;
  private String shelf;
  private int weeks;

  public String getTitle() {
    return title;
  }

  public void setTitle(String title) {
    this.title = title;
  }

  public String getShelf() {
    return shelf;
  }

  public void setShelf(String shelf) {
    this.shelf = shelf;
  }

  public int getWeeks() {
    return weeks;
  }

  public void setWeeks(int weeks) {
    this.weeks = weeks;
  }
}
