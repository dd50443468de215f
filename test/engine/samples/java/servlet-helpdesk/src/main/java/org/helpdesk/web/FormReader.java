package org.helpdesk.web;

import javax.servlet.http.HttpServletRequest;

/** Reads forms of the help desk. */
public class FormReader {
  private final HttpServletRequest request;

  public FormReader(HttpServletRequest request) {
    this.request = request;
  }

  public String text(String name) {
    return request.getParameter(name);
  }

  public String theme(String name) {
    return "dark";
  }

  public int number(String name) {
    return Integer.parseInt(request.getParameter(name));
  }
}
