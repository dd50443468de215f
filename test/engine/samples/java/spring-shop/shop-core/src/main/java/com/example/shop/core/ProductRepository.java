package com.example.shop.core;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.persistence.EntityManager;
import javax.persistence.PersistenceContext;
import org.springframework.jdbc.core.BeanPropertyRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Repository;

@Repository
public class ProductRepository {
  private static final Map<String, String> ORDERS = Map.of("name", "p.name", "price", "p.price desc");

  @PersistenceContext private EntityManager em;
  private final JdbcTemplate jdbc;
  private final NamedParameterJdbcTemplate named;

  public ProductRepository(JdbcTemplate jdbc, NamedParameterJdbcTemplate named) {
    this.jdbc = jdbc;
    this.named = named;
  }

  public List<Product> search(String term, String order) {
    // safe: sql_injection
    List<Product> safe = jdbc.query("SELECT * FROM product WHERE name = ?", new BeanPropertyRowMapper<>(Product.class), term);
    // safe: sql_injection
    named.queryForList("SELECT * FROM product WHERE name = :name", Map.of("name", term));
    // safe: sql_injection
    em.createQuery("SELECT p FROM Product p ORDER BY " + ORDERS.getOrDefault(order, "p.id"), Product.class).getResultList();
    // vuln: sql_injection
    em.createQuery("SELECT p FROM Product p ORDER BY " + order, Product.class).getResultList();
    String sql = String.format("SELECT * FROM product WHERE name LIKE '%%%s%%'", term);
    // vuln: sql_injection
    return jdbc.query(sql, new BeanPropertyRowMapper<>(Product.class));
  }

  public List<Product> byIds(List<Long> ids) {
    String list = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    // safe: sql_injection
    return jdbc.query("SELECT * FROM product WHERE id IN (" + list + ")", new BeanPropertyRowMapper<>(Product.class));
  }

  public void rename(Long id, String name) {
    // vuln: sql_injection
    em.createNativeQuery("UPDATE product SET name = '" + name + "' WHERE id = " + id).executeUpdate();
  }

  public void touch(Long id) {
    // safe: sql_injection
    em.createNativeQuery("UPDATE product SET seen = now() WHERE id = " + id).executeUpdate();
  }
}
