package com.example.shop.core;

import lombok.Data;

@Data
public class StockChange {
  private String shelf;
  private int count;
}
