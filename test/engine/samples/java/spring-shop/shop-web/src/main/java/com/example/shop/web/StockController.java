package com.example.shop.web;

import com.example.shop.core.StockChange;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class StockController {
  private final JdbcTemplate jdbc;

  public StockController(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @PostMapping("/stock")
  public void change(@RequestBody StockChange change) {
    // safe: sql_injection
    jdbc.update("UPDATE stock SET count = count + " + change.getCount());
    // vuln: sql_injection
    jdbc.update("UPDATE stock SET changed = now() WHERE shelf = '" + change.getShelf() + "'");
  }
}
