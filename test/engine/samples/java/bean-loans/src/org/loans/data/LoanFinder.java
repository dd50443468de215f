package org.loans.data;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;

public class LoanFinder {
  private String borrower;

  public void setBorrower(String borrower) {
    this.borrower = borrower;
  }

  public String find() {
    try (Connection connection = DriverManager.getConnection("jdbc:hsqldb:mem:loans");
        // vuln: sql_injection
        ResultSet rows = connection.createStatement().executeQuery("SELECT title FROM past_loans WHERE borrower = '" + borrower + "'")) {
      return rows.next() ? rows.getString(1) : "";
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
