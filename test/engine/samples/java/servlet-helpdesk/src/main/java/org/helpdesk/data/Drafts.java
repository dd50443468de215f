package org.helpdesk.data;

import java.sql.SQLException;
import java.sql.Statement;
import javax.servlet.http.HttpServletRequest;

/** Methods of one name that differ in what they take. */
public class Drafts {
  public void drop(HttpServletRequest request) throws SQLException {
    Statement statement = Database.statement();
    // vuln: sql_injection
    statement.execute(text(request.getParameter("owner"), "owner"));
    // safe: sql_injection
    statement.execute(text(request.getParameter("owner")));
  }

  private String text(String value, String column) {
    return "DELETE FROM drafts WHERE " + column + " = '" + value + "'";
  }

  private String text(String ignored) {
    return "DELETE FROM drafts";
  }
}
