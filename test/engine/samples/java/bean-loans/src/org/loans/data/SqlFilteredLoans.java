package org.loans.data;

import java.util.List;
import org.loans.model.Filter;
import org.loans.model.Order;
import org.springframework.jdbc.core.JdbcTemplate;

public class SqlFilteredLoans implements FilteredLoans {
  private JdbcTemplate jdbc;

  @Override
  public List<String> find(Filter filter, Order order) {
    // safe: sql_injection
    jdbc.queryForList("SELECT title FROM loans WHERE weeks > " + filter.weeks, String.class);
    // safe: sql_injection
    jdbc.queryForList("SELECT title FROM loans ORDER BY " + order.column(), String.class);
    // vuln: sql_injection
    return jdbc.queryForList("SELECT title FROM loans WHERE borrower = '" + filter.borrower + "'", String.class);
  }
}
