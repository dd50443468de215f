package com.example.shop.web;

import javax.servlet.http.HttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What all pages have. */
public class BaseController {
  protected HttpServletRequest request() {
    return ((ServletRequestAttributes) RequestContextHolder.getRequestAttributes()).getRequest();
  }

  protected String text(String name) {
    return request().getParameter(name);
  }

  protected int number(String name, int otherwise) {
    String given = request().getParameter(name);
    return given == null ? otherwise : Integer.parseInt(given);
  }
}
