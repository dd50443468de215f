package org.helpdesk.data;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

public class SqlTicketFinder implements TicketFinder {
  @Override
  public List<String> find(String term) throws SQLException {
    try (Connection connection = Database.open();
        Statement statement = connection.createStatement()) {
      // vuln: sql_injection
      ResultSet rows = statement.executeQuery("SELECT title FROM tickets WHERE title LIKE '%" + term + "%'");
      return titles(rows);
    }
  }

  @Override
  public List<String> count(String term) throws SQLException {
    String sql = "SELECT count(*) FROM " + Database.TICKETS + " WHERE title = ?";
    try (Connection connection = Database.open();
        // safe: sql_injection
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, term);
      return titles(statement.executeQuery());
    }
  }

  private List<String> titles(ResultSet rows) throws SQLException {
    List<String> titles = new ArrayList<>();
    while (rows.next()) titles.add(rows.getString(1));
    return titles;
  }
}
