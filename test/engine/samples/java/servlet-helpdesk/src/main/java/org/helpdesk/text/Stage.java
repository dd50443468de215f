package org.helpdesk.text;

/** One step of what happens to a text. */
public interface Stage {
  String run(String text);
}
