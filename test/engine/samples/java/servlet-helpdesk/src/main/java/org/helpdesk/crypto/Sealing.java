package org.helpdesk.crypto;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Properties;
import java.util.Random;
import javax.crypto.Cipher;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServletResponse;

public class Sealing {
  private final Properties settings = new Properties();

  Sealing() throws IOException {
    try (InputStream in = getClass().getClassLoader().getResourceAsStream("helpdesk.properties")) {
      settings.load(in);
    }
  }

  byte[] digests(byte[] text) throws GeneralSecurityException {
    // vuln: weak_hash
    MessageDigest old = MessageDigest.getInstance(settings.getProperty("digest.old", "SHA-512"));
    String name = settings.getProperty("digest.new", "MD5");
    // safe: weak_hash
    MessageDigest current = MessageDigest.getInstance(name);
    // vuln: weak_hash
    MessageDigest direct = MessageDigest.getInstance("SHA1");
    // safe: weak_hash
    MessageDigest strong = MessageDigest.getInstance("SHA-384", MessageDigest.getInstance("SHA-512").getProvider());
    return strong.digest(direct.digest(current.digest(old.digest(text))));
  }

  Object ciphers() throws GeneralSecurityException {
    // vuln: weak_cipher
    Cipher old = Cipher.getInstance(settings.getProperty("cipher.old"));
    // safe: weak_cipher
    Cipher current = Cipher.getInstance(settings.getProperty("cipher.new", "DES/ECB/PKCS5Padding"));
    // vuln: weak_cipher
    Cipher fallback = Cipher.getInstance(settings.getProperty("cipher.missing", "DES/ECB/PKCS5Padding"));
    return new Object[] {old, current, fallback};
  }

  void remember(HttpServletResponse response) throws GeneralSecurityException {
    // vuln: weak_random
    double drawn = new Random().nextDouble();
    String rememberMeKey = Double.toString(drawn).substring(2);
    // safe: weak_random
    int strong = SecureRandom.getInstance("SHA1PRNG").nextInt();
    String rememberMe = Integer.toString(strong);
    Cookie first = new Cookie("remember", rememberMeKey);
    first.setSecure(true);
    response.addCookie(first);
    Cookie second = new Cookie("remember", rememberMe);
    second.setSecure(true);
    response.addCookie(second);
    // safe: weak_random
    int row = new Random().nextInt(10);
    response.setHeader("X-Row", String.valueOf(row));
  }
}
