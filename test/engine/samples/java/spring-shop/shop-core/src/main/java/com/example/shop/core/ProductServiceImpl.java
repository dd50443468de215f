package com.example.shop.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestTemplate;

@Service
public class ProductServiceImpl implements ProductService {
  @Autowired private ProductRepository products;
  private final RestTemplate rest = new RestTemplate();

  @Override
  public List<Product> search(String term, String order) {
    return products.search(term, order);
  }

  @Override
  public List<Product> byIds(List<Long> ids) {
    return products.byIds(ids);
  }

  @Override
  public Product save(Product product) {
    products.rename(product.getId(), product.getName());
    products.touch(product.getId());
    return product;
  }

  @Override
  public String preview(String url) {
    // vuln: ssrf
    return rest.getForObject(url, String.class);
  }

  @Override
  public byte[] picture(String name) {
    try {
      // vuln: path_traversal
      return Files.readAllBytes(Path.of("/srv/pictures/" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String status() {
    // safe: ssrf
    return rest.getForObject("https://status.example.com/api", String.class);
  }
}
