package org.helpdesk.web;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;
import javax.naming.directory.SearchControls;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.apache.commons.io.FilenameUtils;

public class FileServlet extends HttpServlet {
  private static final Path ROOT = Paths.get("/srv/helpdesk");
  private static final Set<String> TOOLS = Set.of("ping", "traceroute");

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String name = request.getParameter("name");
    // vuln: path_traversal
    FileInputStream in = new FileInputStream("/srv/helpdesk/" + name);
    // safe: path_traversal
    FileInputStream base = new FileInputStream("/srv/helpdesk/" + FilenameUtils.getName(name));
    // vuln: path_traversal
    byte[] unchecked = Files.readAllBytes(ROOT.resolve(name));
    Path wanted = ROOT.resolve(name).normalize();
    if (!wanted.startsWith(ROOT)) {
      response.sendError(404);
      return;
    }
    // safe: path_traversal
    byte[] checked = Files.readAllBytes(wanted);
    // safe: path_traversal
    byte[] again = Files.readAllBytes(ROOT.resolve(name));
    File file = new File("/srv/helpdesk", "index.txt");
    // safe: path_traversal
    FileOutputStream out = new FileOutputStream(file);
    response.setHeader("X-Length", String.valueOf(checked.length + unchecked.length));
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String host = request.getParameter("host");
    String tool = request.getParameter("tool");
    Runtime runtime = Runtime.getRuntime();
    // vuln: command_injection
    runtime.exec("ping " + host);
    String[] shell = {"/bin/sh", "-c", "ping " + host};
    // vuln: command_injection
    runtime.exec(shell);
    // safe: command_injection
    runtime.exec(new String[] {"ping", "-c", "1", host});
    java.util.List<String> words = new java.util.ArrayList<>();
    words.add("sh");
    words.add("-c");
    words.add("echo " + host);
    ProcessBuilder builder = new ProcessBuilder();
    // vuln: command_injection
    builder.command(words);
    builder.start();
    if (TOOLS.contains(tool)) {
      // safe: command_injection
      new ProcessBuilder(tool, "-c", "1", host).start();
    }
    // vuln: trust_boundary
    request.getSession().setAttribute("host", host);
    // safe: trust_boundary
    request.getSession().setAttribute("tool", "ping");
    Cookie cookie = new Cookie("tool", "ping");
    // vuln: insecure_cookie
    cookie.setSecure(false);
    cookie.setHttpOnly(true);
    response.addCookie(cookie);
    Cookie other = new Cookie("tool", "ping");
    // safe: insecure_cookie
    other.setSecure(true);
    other.setHttpOnly(true);
    response.addCookie(other);
    String back = request.getParameter("back");
    if (back.startsWith("/") && !back.startsWith("//")) {
      // safe: open_redirect
      response.sendRedirect(back);
    } else {
      // vuln: open_redirect
      response.sendRedirect(back);
    }
  }

  void download(HttpServletRequest request, HttpServletResponse response) throws IOException {
    byte[] buffer = new byte[4096];
    // vuln: path_traversal
    try (FileInputStream in = new FileInputStream("/srv/files/" + request.getParameter("name"))) {
      int length;
      while ((length = in.read(buffer)) > 0) {
        // safe: xss
        response.getOutputStream().write(buffer, 0, length);
      }
    }
    // safe: path_traversal
    FileOutputStream out = new FileOutputStream(File.createTempFile("copy", ".tmp"));
    // vuln: xss
    response.getWriter().println("<p>Saved " + request.getParameter("name"));
  }

  void people(HttpServletRequest request) throws NamingException {
    String user = request.getHeader("X-User");
    DirContext context = new InitialDirContext();
    String filter = "(&(objectclass=person)(uid=" + user + "))";
    // vuln: ldap_injection
    context.search("ou=people", filter, new SearchControls());
    // safe: ldap_injection
    context.search("ou=people", "(uid={0})", new Object[] {user}, new SearchControls());
  }

  String titles(HttpServletRequest request) throws Exception {
    String id = request.getParameter("id");
    XPath xpath = XPathFactory.newInstance().newXPath();
    // vuln: xpath_injection
    String unsafe = xpath.evaluate("/tickets/ticket[@id='" + id + "']", parsed(request));
    // safe: xpath_injection
    String safe = xpath.evaluate("/tickets/ticket[@id='" + Integer.parseInt(id) + "']", parsed(request));
    return unsafe + safe;
  }

  private Object parsed(HttpServletRequest request) throws Exception {
    // safe: xxe
    return hardened().parse(request.getInputStream());
  }

  Object parsedLoosely(HttpServletRequest request) throws Exception {
    // vuln: xxe
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(request.getInputStream());
  }

  private static DocumentBuilder hardened() throws ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder();
  }
}
