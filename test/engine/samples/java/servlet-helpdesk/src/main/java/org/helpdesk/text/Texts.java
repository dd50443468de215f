package org.helpdesk.text;

/** What pages do with texts. */
public class Texts {
  public static String orEmpty(String text) {
    return text == null ? "" : text.trim();
  }

  public static String html(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'", "&#39;");
  }

  public static String quoted(String text, String mark) {
    return mark + text + mark;
  }

  public static String fixed(String text) {
    return "helpdesk";
  }

  public static boolean isTicketId(String text) {
    return text.matches("[A-Z]{2,4}-[0-9]{1,6}");
  }
}
