package org.archive.model;

import javax.persistence.Entity;
import javax.persistence.Id;

@Entity
public class Document {
  @Id private Long id;
  private String title;
  private String file;
  private int pages;

  public Long getId() {
    return id;
  }

  public String getTitle() {
    return title;
  }

  public void setTitle(String title) {
    this.title = title;
  }

  public String getFile() {
    return file;
  }

  public void setFile(String file) {
    this.file = file;
  }

  public int getPages() {
    return pages;
  }
}
