// Factories that go by names of their own, several in one file.
exports.makeAwards = ({ db }) => ({
  async named(name) {
    // vuln: sql_injection
    return db.query(`SELECT * FROM award WHERE name = '${name}'`);
  },
});

exports.makeGrants = ({ db }) => {
  async function named(name) {
    // safe: sql_injection
    return db.query("SELECT * FROM granted WHERE name = $1", [name]);
  }
  const year = (year) =>
    // vuln: sql_injection
    db.query("SELECT * FROM granted WHERE year = " + year);
  return { named, year };
};
