package org.loans.web;

import java.io.IOException;
import javax.servlet.annotation.WebServlet;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.loans.data.CoverFetcher;
import org.loans.data.LoanDao;
import org.loans.data.LoanFinder;
import org.loans.data.SqlLoanDao;
import org.loans.model.Loan;

@WebServlet("/loans")
public class LoanServlet extends HttpServlet {
  private final LoanDao loans = new SqlLoanDao();

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Loan loan = new Loan();
    loan.setTitle(request.getParameter("title"));
    loan.setWeeks(Integer.parseInt(request.getParameter("weeks")));
    loan.setShelf("A");
    loans.insert(loan);
    new CoverFetcher(request.getParameter("cover"), "small").fetch();
    new ShelfLabel(request.getParameter("label")).print();
    LoanFinder finder = new LoanFinder();
    finder.setBorrower(request.getParameter("borrower"));
    response.setContentType("text/html");
    // safe: xss
    response.getWriter().println("<p>" + finder.find() + "</p>");
    // safe: xss
    response.getWriter().println("<p>" + loan.getShelf() + "</p>");
    // vuln: xss
    response.getWriter().println("<p>" + loan.getTitle() + "</p>");
  }
}
