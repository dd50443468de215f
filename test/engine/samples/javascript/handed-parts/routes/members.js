const { Router } = require("express");
const db = require("../db");
const badges = require("../badges")(db);

module.exports = ({ memberService }) => {
  const router = Router();
  router.get("/", async (req, res) => res.json(await memberService.search(req.query.nick)));
  router.get("/:id", async (req, res) => res.json(await memberService.one(req.params.id)));
  router.get("/badges", async (req, res) => res.json(await badges.inColour(req.query.colour)));
  router.get("/badge", async (req, res) => res.json(await badges.named(req.query.name)));
  return router;
};
