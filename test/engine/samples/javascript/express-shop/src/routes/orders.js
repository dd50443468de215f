const { Router } = require("express");
const { sequelize } = require("../db");
const orderService = require("../services/orders");
const { searchTerm, pageNumber, sortColumn, requireDigits, isKnownReport, looksFine, SORT_COLUMNS } = require("../lib/input");

const router = Router();

router.get("/search", async (req, res) => {
  const found = await orderService.search(searchTerm(req));
  res.json(found);
});

router.get("/search-safely", async (req, res) => {
  res.json(await orderService.searchSafely(searchTerm(req)));
});

router.get("/sorted", async (req, res) => {
  res.json(await orderService.sorted(req.query.by));
});

router.get("/", async (req, res) => {
  res.json(await orderService.page(pageNumber(req)));
});

router.get("/status", async (req, res) => {
  res.json(await orderService.byStatus(req.filters));
});

router.get("/term", async (req, res) => {
  // vuln: sql_injection
  const [rows] = await sequelize.query("SELECT * FROM orders WHERE note = '" + searchTerm(req) + "'");
  res.json(rows);
});

router.get("/filter", async (req, res) => {
  // vuln: sql_injection
  const [rows] = await sequelize.query(`SELECT * FROM orders WHERE status = '${req.filters.status}'`);
  // safe: sql_injection
  const [some] = await sequelize.query(`SELECT * FROM orders LIMIT ${req.filters.limit}`);
  res.json([rows, some]);
});

router.get("/by", async (req, res) => {
  const column = sortColumn(req.query.by);
  // safe: sql_injection
  const [rows] = await sequelize.query(`SELECT * FROM orders ORDER BY ${column}`);
  res.json(rows);
});

router.get("/by-list", async (req, res) => {
  const by = req.query.by;
  if (!SORT_COLUMNS.includes(by)) return res.status(400).json({ error: "unknown column" });
  // safe: sql_injection
  const [rows] = await sequelize.query(`SELECT * FROM orders ORDER BY ${by}`);
  return res.json(rows);
});

router.get("/number/:number", async (req, res) => {
  const { number } = req.params;
  requireDigits(number);
  // safe: sql_injection
  const [rows] = await sequelize.query("SELECT * FROM orders WHERE number = " + number);
  res.json(rows);
});

router.get("/report/:name", async (req, res) => {
  const { name } = req.params;
  if (!isKnownReport(name)) return res.sendStatus(404);
  // safe: sql_injection
  const [rows] = await sequelize.query("SELECT * FROM report_" + name);
  return res.json(rows);
});

router.get("/view/:name", async (req, res) => {
  const { name } = req.params;
  if (!looksFine(name)) return res.sendStatus(404);
  // vuln: sql_injection
  const [rows] = await sequelize.query("SELECT * FROM view_" + name);
  return res.json(rows);
});

module.exports = router;
