const express = require("express");
const bcrypt = require("bcrypt");
const jwt = require("jsonwebtoken");
const _ = require("lodash");
const User = require("../models/user");
const { plain, lines, loud } = require("../lib/text");

const router = express.Router();
const preferences = {};

router.post("/login", async (req, res) => {
  // vuln: nosql_injection
  const user = await User.findOne({ name: req.body.name, password: req.body.password });
  // safe: nosql_injection
  const other = await User.findOne({ name: plain(req.body.name) });
  // vuln: hardcoded_key
  const token = jwt.sign({ id: user.id }, "a secret for everybody");
  // safe: hardcoded_key
  const better = jwt.sign({ id: user.id }, process.env.TOKEN_KEY);
  res.json({ token, better, other: other.name });
});

router.post("/login-typed", async (req, res) => {
  const { name } = req.body;
  if (typeof name !== "string") return res.sendStatus(400);
  // safe: nosql_injection
  const user = await User.findOne({ name });
  return res.json(user);
});

router.post("/register", async (req, res) => {
  // vuln: mass_assignment
  const user = await User.create(req.body);
  // safe: mass_assignment
  const other = await User.create(_.pick(req.body, ["name", "mail"]));
  // vuln: weak_password_hash
  const quick = await bcrypt.hash(req.body.password, 5);
  // safe: weak_password_hash
  const slow = await bcrypt.hash(req.body.password, 12);
  res.json([user.id, other.id, quick, slow]);
});

router.put("/preferences", (req, res) => {
  // vuln: prototype_pollution
  _.merge(preferences, req.body);
  // safe: prototype_pollution
  _.merge(preferences, { theme: "dark" });
  res.json(preferences);
});

router.get("/search", (req, res) => {
  // vuln: redos
  const wanted = new RegExp(req.query.name);
  // safe: redos
  const literal = new RegExp(_.escapeRegExp(req.query.name));
  // vuln: log_injection
  console.log("searching " + loud(req.query.name));
  // safe: log_injection
  console.log("searching " + lines(req.query.name));
  // vuln: sensitive_logging
  console.log("as", req.body.password);
  res.json([wanted.source, literal.source]);
});

router.use((error, req, res, next) => {
  // vuln: verbose_error
  res.status(500).send(error.stack);
  // safe: verbose_error
  res.status(500).send("failed");
});

module.exports = router;
