package org.helpdesk.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.servlet.ServletException;
import javax.servlet.annotation.WebServlet;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.helpdesk.data.Database;
import org.helpdesk.data.SqlTicketFinder;
import org.helpdesk.data.TicketFinder;
import org.helpdesk.text.Stage;
import org.helpdesk.text.Stages;
import org.helpdesk.text.Texts;

@WebServlet("/tickets")
public class TicketServlet extends HttpServlet {
  private static final String STAGE = "live";
  private final TicketFinder finder = new SqlTicketFinder();

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
    response.setContentType("text/html;charset=UTF-8");
    doPost(request, response);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
    String term = request.getParameter("term");
    PrintWriter out = response.getWriter();
    try {
      for (String title : finder.find(term)) out.println("<li>" + Texts.html(title));
      for (String title : finder.count(term)) out.println("<li>" + Texts.html(title));
      byReader(request);
      byHeaders(request);
      byMaps(request);
      byLists(request);
      byBranches(request);
      byBuilder(request);
    } catch (SQLException e) {
      throw new ServletException(e);
    }
    // vuln: xss
    out.println("<p>Nothing for " + term + "</p>");
    // safe: xss
    out.println("<p>Nothing for " + Texts.html(term) + "</p>");
    // vuln: xss
    out.format("<p>%s and %s</p>", "also", term);
    Object[] parts = {"a", term};
    // vuln: xss
    out.printf("<p>%1$s %2$s</p>", parts);
    // safe: xss
    out.println("<p>" + Texts.fixed(term) + "</p>");
    // vuln: xss
    out.println("<p>" + Texts.quoted(term, "'") + "</p>");
    // vuln: xss
    out.write(new Inner().pass(request, term));
    // safe: xss
    out.write(new Inner().drop(request, term));
  }

  private void byReader(HttpServletRequest request) throws SQLException {
    FormReader form = new FormReader(request);
    Statement statement = Database.statement();
    // vuln: sql_injection
    statement.execute("DELETE FROM drafts WHERE owner = '" + form.text("owner") + "'");
    // safe: sql_injection
    statement.execute("DELETE FROM drafts WHERE theme = '" + form.theme("theme") + "'");
    // safe: sql_injection
    statement.execute("DELETE FROM drafts WHERE id = " + form.number("id"));
    Stage stage = Stages.make();
    String passed = stage.run(request.getParameter("owner"));
    // vuln: sql_injection
    statement.execute("DELETE FROM drafts WHERE owner = '" + passed + "'");
  }

  private void byHeaders(HttpServletRequest request) throws SQLException {
    String agent = "";
    Enumeration<String> agents = request.getHeaders("User-Agent");
    if (agents != null && agents.hasMoreElements()) agent = agents.nextElement();
    Statement statement = Database.open().createStatement();
    // vuln: sql_injection
    statement.executeUpdate("INSERT INTO visits VALUES ('" + agent + "')");
    String theme = "light";
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals("theme")) {
          theme = java.net.URLDecoder.decode(cookie.getValue(), java.nio.charset.StandardCharsets.UTF_8);
          break;
        }
      }
    }
    // vuln: sql_injection
    statement.executeUpdate("UPDATE settings SET theme = '" + theme + "'");
    Map<String, String[]> form = request.getParameterMap();
    String first = "";
    if (!form.isEmpty()) {
      String[] values = form.get("theme");
      if (values != null) first = values[0];
    }
    // vuln: sql_injection
    int[] counts = new int[] {statement.executeUpdate("UPDATE settings SET theme = '" + first + "'")};
  }

  private void byMaps(HttpServletRequest request) throws SQLException {
    String owner = request.getParameter("owner");
    Map<String, Object> fields = new HashMap<>();
    fields.put("kind", "bug");
    fields.put("owner", owner);
    fields.put("level", "high");
    Statement statement = Database.statement();
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE kind = '" + fields.get("kind") + "'");
    // vuln: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + (String) fields.get("owner") + "'");
    String chosen = (String) fields.get("owner");
    chosen = (String) fields.get("level");
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE level = '" + chosen + "'");
  }

  private void byLists(HttpServletRequest request) throws SQLException {
    String owner = request.getParameter("owner");
    List<String> values = new ArrayList<>();
    values.add("first");
    values.add(owner);
    values.add("last");
    values.remove(0);
    Statement statement = Database.statement();
    // vuln: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + values.get(0) + "'");
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + values.get(1) + "'");
  }

  private void byBranches(HttpServletRequest request) throws SQLException {
    String owner = request.getParameter("owner");
    String text;
    int number = 86;
    if ((7 * 42) - number > 200) text = "never the input";
    else text = owner;
    Statement statement = Database.statement();
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + text + "'");
    number = 106;
    String other = (7 * 18) + number > 200 ? "fixed" : owner;
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + other + "'");
    char letter = "ABC".charAt(1);
    switch (letter) {
      case 'A':
        other = owner;
        break;
      case 'B':
        other = "bob";
        break;
      case 'C':
      case 'D':
        other = owner;
        break;
      default:
        other = "carol";
    }
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + other + "'");
    char second = "ABC".charAt(2);
    switch (second) {
      case 'A':
        other = "alice";
        break;
      case 'C':
      case 'D':
        other = owner;
        break;
      default:
        other = "carol";
    }
    // vuln: sql_injection
    statement.execute("SELECT * FROM tickets WHERE owner = '" + other + "'");
    String level = switch (STAGE) {
      case "live" -> "high";
      default -> owner;
    };
    // safe: sql_injection
    statement.execute("SELECT * FROM tickets WHERE level = '" + level + "'");
  }

  private void byBuilder(HttpServletRequest request) throws SQLException {
    String owner = request.getParameter("owner");
    StringBuilder sql = new StringBuilder("SELECT * FROM tickets");
    if (owner != null && !owner.isEmpty()) sql.append(" WHERE owner = '").append(owner).append("'");
    // vuln: sql_injection
    Database.statement().executeQuery(sql.toString());
    StringBuilder replaced = new StringBuilder(owner);
    replaced.replace(replaced.length() - 1, replaced.length(), "'");
    // vuln: sql_injection
    Database.statement().executeQuery("SELECT * FROM tickets WHERE owner = '" + replaced);
    if (Texts.isTicketId(owner)) {
      // safe: sql_injection
      Database.statement().executeQuery("SELECT * FROM tickets WHERE id = '" + owner + "'");
    }
    String text = String.join(" ", List.of("SELECT * FROM tickets WHERE owner =", owner));
    // vuln: sql_injection
    Database.statement().executeQuery(text);
  }

  private void byFullNames(HttpServletRequest request, HttpServletResponse response) throws Exception {
    String owner = java.net.URLDecoder.decode(request.getParameter("owner"), "UTF-8");
    // vuln: xss
    response.getWriter().println("<p>" + owner);
    // safe: xss
    response.getWriter().println("<p>" + org.owasp.esapi.ESAPI.encoder().encodeForHTML(owner));
    // vuln: code_injection
    Object found = new javax.naming.InitialContext().lookup(owner);
    // vuln: weak_cipher
    javax.crypto.Cipher cipher = javax.crypto.Cipher.getInstance("DES/CBC/PKCS5Padding");
    java.util.Map<String, Object> fields = new java.util.HashMap<>();
    fields.put("owner", owner);
    fields.put("level", "high");
    // safe: xss
    response.getWriter().println("<p>" + fields.get("level"));
  }

  private class Inner {
    public String pass(HttpServletRequest request, String given) {
      String text = given;
      if (text == null) text = "";
      return keep(text);
    }

    public String drop(HttpServletRequest request, String given) {
      String text = given;
      text = "nothing";
      return keep(text);
    }
  }

  private static String keep(String text) {
    return text;
  }
}
