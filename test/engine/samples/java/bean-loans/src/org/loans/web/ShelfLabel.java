package org.loans.web;

import java.io.IOException;

class ShelfLabel {
  private final String text;

  ShelfLabel(String text) {
    this.text = text;
  }

  void print() throws IOException {
    // vuln: command_injection
    Runtime.getRuntime().exec("label -t " + text);
  }
}
