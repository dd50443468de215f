package org.desk;

import com.opensymphony.xwork2.ActionSupport;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.apache.struts2.interceptor.SessionAware;

public class PrintAction extends ActionSupport implements SessionAware {
  private String printer;
  private int copies;
  private String folder;
  private Map<String, Object> session;

  @Override
  public String execute() throws IOException {
    // vuln: command_injection
    Runtime.getRuntime().exec("lp -d " + printer);
    // safe: command_injection
    Runtime.getRuntime().exec("lp -n " + copies);
    // safe: command_injection
    Runtime.getRuntime().exec("lp -U " + session.get("user"));
    // vuln: path_traversal
    String[] names = new File(getFolder()).list();
    return names == null ? ERROR : SUCCESS;
  }

  public String getFolder() {
    return folder;
  }

  public void setFolder(String folder) {
    this.folder = folder;
  }

  public void setPrinter(String name) {
    printer = name;
  }

  public void setCopies(int copies) {
    this.copies = copies;
  }

  @Override
  public void setSession(Map<String, Object> session) {
    this.session = session;
  }
}
