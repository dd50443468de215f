module.exports = (app) => {
  class LevelsService extends app.Service {
    *below(level, kind) {
      // safe: sql_injection
      yield this.app.mysql.query("SELECT * FROM stock WHERE level < ?", [level]);
      // vuln: sql_injection
      return yield this.app.mysql.query("SELECT * FROM stock WHERE kind = '" + kind + "'");
    }
  }
  return LevelsService;
};
