package org.loans.web;

import java.util.List;
import org.loans.data.Daos;
import org.loans.data.FilteredLoans;
import org.loans.model.Filter;
import org.loans.model.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class FilterController {
  private final FilteredLoans loans = Daos.all().filtered();

  @GetMapping("/loans/filtered")
  public List<String> filtered(Filter filter, Order order) {
    return loans.find(filter, order);
  }
}
