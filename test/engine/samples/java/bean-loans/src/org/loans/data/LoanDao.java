package org.loans.data;

import org.loans.model.Loan;

public interface LoanDao {
  void insert(Loan loan);
}
