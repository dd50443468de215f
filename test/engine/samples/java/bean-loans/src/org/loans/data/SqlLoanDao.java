package org.loans.data;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.loans.model.Loan;

public class SqlLoanDao implements LoanDao {
  @Override
  public void insert(Loan loan) {
    try (Connection connection = DriverManager.getConnection("jdbc:hsqldb:mem:loans");
        Statement statement = connection.createStatement()) {
      // vuln: sql_injection
      statement.executeUpdate("INSERT INTO loans (title) VALUES ('" + loan.getTitle() + "')");
      // safe: sql_injection
      statement.executeUpdate("UPDATE loans SET weeks = " + loan.getWeeks());
      // safe: sql_injection
      statement.executeUpdate("UPDATE loans SET shelf = '" + loan.getShelf() + "'");
      PreparedStatement prepared = connection.prepareStatement("DELETE FROM wishes WHERE title = ?");
      prepared.setString(1, loan.getTitle());
      // safe: sql_injection
      prepared.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
