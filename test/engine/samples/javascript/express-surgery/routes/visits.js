const express = require("express");
const { loggedIn, forDoctors } = require("../login");
const { Appointment, Opening } = require("../store");

const router = express.Router();

router.get("/", loggedIn, async (req, res) => {
  const mine = await Appointment.findAll({ where: { patientId: req.session.user.id } });
  res.render("visits", { mine });
});

router.get("/:id", loggedIn, async (req, res) => {
  // vuln: idor
  const visit = await Appointment.findByPk(req.params.id);
  res.render("visit", { visit });
});

router.get("/:id/print", loggedIn, async (req, res) => {
  // safe: idor
  const visit = await Appointment.findOne({ where: { id: req.params.id, patientId: req.session.user.id } });
  res.render("visit", { visit });
});

router.get("/openings/:id", loggedIn, async (req, res) => {
  // safe: idor
  res.json(await Opening.findByPk(req.params.id));
});

router.post("/:id/cancel", loggedIn, async (req, res) => {
  // vuln: idor
  await Appointment.destroy({ where: { id: req.params.id } });
  res.redirect("/visits");
});

router.post("/:id/note", loggedIn, forDoctors, async (req, res) => {
  // safe: idor
  const visit = await Appointment.findByPk(req.params.id);
  visit.reason = String(req.body.reason);
  await visit.save();
  res.redirect("/visits");
});

// vuln: missing_authentication
router.delete("/:id", async (req, res) => {
  await Appointment.destroy({ where: { id: Number(req.params.id) } });
  res.sendStatus(204);
});

module.exports = router;
