const express = require("express");
const { loggedIn, forDoctors } = require("../login");
const { Opening } = require("../store");

const router = express.Router();

// vuln: csrf
// safe: missing_authorisation
router.post("/openings", loggedIn, forDoctors, async (req, res) => {
  await Opening.create({ day: String(req.body.day), from: String(req.body.from) });
  res.redirect("/admin");
});

// vuln: missing_authorisation
router.post("/openings/:id/remove", loggedIn, async (req, res) => {
  await Opening.destroy({ where: { id: Number(req.params.id) } });
  res.redirect("/admin");
});

module.exports = router;
