package org.loans.data;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;

public class CoverFetcher {
  private final String address;
  private final String size;

  public CoverFetcher(String address, String size) {
    this.address = address;
    this.size = size;
  }

  public byte[] fetch() throws IOException {
    // vuln: ssrf
    try (InputStream cover = new URL(address).openStream()) {
      return cover.readAllBytes();
    }
  }

  public byte[] blank() throws IOException {
    // safe: ssrf
    try (InputStream cover = new URL(size).openStream()) {
      return cover.readAllBytes();
    }
  }
}
