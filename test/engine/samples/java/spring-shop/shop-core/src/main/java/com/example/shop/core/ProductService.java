package com.example.shop.core;

import java.util.List;

public interface ProductService {
  List<Product> search(String term, String order);

  List<Product> byIds(List<Long> ids);

  Product save(Product product);

  String preview(String url);

  byte[] picture(String name);
}
