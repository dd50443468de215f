package org.helpdesk.data;

import java.sql.SQLException;
import java.util.List;

public interface TicketFinder {
  List<String> find(String term) throws SQLException;

  List<String> count(String term) throws SQLException;
}
