const { Service } = require("egg");

module.exports = class CratesService extends Service {
  inDepot(depot) {
    // vuln: sql_injection
    return this.app.mysql.query(`SELECT * FROM crate WHERE depot = '${depot}'`);
  }
};
