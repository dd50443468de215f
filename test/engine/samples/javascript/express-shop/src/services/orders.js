const { sequelize } = require("../db");
const input = require("../lib/input");

class OrderService {
  async search(term) {
    // vuln: sql_injection
    return sequelize.query(`SELECT * FROM orders WHERE note LIKE ${input.quoted(input.shorten(term))}`);
  }

  async searchSafely(term) {
    // safe: sql_injection
    return sequelize.query("SELECT * FROM orders WHERE note LIKE :term", { replacements: { term } });
  }

  async sorted(column) {
    // safe: sql_injection
    return sequelize.query("SELECT * FROM orders ORDER BY " + input.sortColumn(column));
  }

  async page(number) {
    // safe: sql_injection
    return sequelize.query(`SELECT * FROM orders LIMIT 20 OFFSET ${number * 20}`);
  }

  async byStatus(filters) {
    // vuln: sql_injection
    return sequelize.query("SELECT * FROM orders WHERE status = '" + filters.status + "'");
  }
}

module.exports = new OrderService();
