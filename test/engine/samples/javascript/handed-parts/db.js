const { Pool } = require("pg");
const { promisify } = require("node:util");

const pool = new Pool();
const run = promisify(pool.query).bind(pool);

exports.query = (statement, values) => pool.query({ text: statement, values });
exports.recent = async (req, res) => {
  // vuln: sql_injection
  res.json(await run(`SELECT * FROM member ORDER BY ${req.query.sort}`));
};
exports.newest = async (req, res) => {
  // safe: sql_injection
  res.json(await run({ text: "SELECT * FROM member WHERE since > $1", values: [req.query.since] }));
};
