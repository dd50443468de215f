module.exports = function makeBadges(db) {
  function inColour(colour) {
    // vuln: sql_injection
    return db.query("SELECT * FROM badge WHERE colour = '" + colour + "'");
  }
  const named = (name) => {
    // safe: sql_injection
    return db.query("SELECT * FROM badge WHERE name = ?", [name]);
  };
  return { inColour, named };
};
