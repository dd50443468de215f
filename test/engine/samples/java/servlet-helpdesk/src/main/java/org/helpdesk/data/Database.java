package org.helpdesk.data;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

public final class Database {
  public static final String TICKETS = "tickets";

  private Database() {}

  public static Connection open() throws SQLException {
    return DriverManager.getConnection(System.getenv("DATABASE_URL"));
  }

  public static Statement statement() throws SQLException {
    return open().createStatement();
  }
}
