const asyncHandler = require("express-async-handler");
const needle = require("needle");
const Order = require("../models/Order");
const db = require("../db");

exports.search = asyncHandler(async (req, res) => {
  // vuln: sql_injection
  const rows = await db.query(`SELECT * FROM orders WHERE note LIKE '%${req.query.note}%'`);
  // safe: sql_injection
  const same = await db.query("SELECT * FROM orders WHERE note = ?", [req.query.note]);
  res.json({ rows, same });
});

exports.mail = catchErrors(async (req, res, next) => {
  // vuln: nosql_injection
  const customer = await req.app.db.customers.findOne({ email: req.body.email });
  // safe: nosql_injection
  const known = await req.app.db.customers.findOne({ email: String(req.body.email) });
  // vuln: nosql_injection
  req.app.db.customers.update({ email: req.body.email }, { $set: { seen: true } });
  // vuln: nosql_injection
  const totals = await req.app.db.orders.aggregate([{ $match: { email: req.body.email } }]);
  // vuln: ssrf
  const page = await needle("get", req.body.page);
  res.json({ customer, known, totals, page });
});

exports.change = asyncHandler(async (req, res) => {
  // vuln: mass_assignment
  await Order.update(req.body, { where: { id: req.params.id } });
  // safe: mass_assignment
  await Order.update(req.body, { where: { id: req.params.id }, fields: ["note"] });
  res.end();
});
