package org.loans.data;

import java.util.List;
import org.loans.model.Filter;
import org.loans.model.Order;

public interface FilteredLoans {
  List<String> find(Filter filter, Order order);
}
