// What a factory makes, and parts that are handed in by their names.
module.exports = ({ db }) => ({
  async byNick(nick) {
    // vuln: sql_injection
    return db.query(`SELECT * FROM member WHERE nick = '${nick}'`);
  },
  async byId(id) {
    // safe: sql_injection
    return db.query("SELECT * FROM member WHERE id = $1", [id]);
  },
});
