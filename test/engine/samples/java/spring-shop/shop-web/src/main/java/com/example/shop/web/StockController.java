package com.example.shop.web;

import com.example.shop.core.StockChange;
import com.example.shop.stock.Shelf;
import com.example.shop.stock.Shelves;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class StockController {
  private final JdbcTemplate jdbc;
  private final Shelves shelves;

  public StockController(JdbcTemplate jdbc, Shelves shelves) {
    this.jdbc = jdbc;
    this.shelves = shelves;
  }

  @GetMapping("/shelf")
  public Object shelf(@RequestParam String code) {
    Shelf shelf = shelves.findByCode(code);
    // safe: sql_injection
    return jdbc.queryForList("SELECT * FROM stock WHERE room = '" + shelf.getRoom() + "'");
  }

  @PostMapping("/stock")
  public void change(@RequestBody StockChange change) {
    // safe: sql_injection
    jdbc.update("UPDATE stock SET count = count + " + change.getCount());
    // vuln: sql_injection
    jdbc.update("UPDATE stock SET changed = now() WHERE shelf = '" + change.getShelf() + "'");
  }
}
