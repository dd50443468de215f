const { Router } = require("express");
const db = require("../db");
const { makeAwards, makeGrants } = require("../repositories/award-repository");

const awards = makeAwards({ db });
const grants = makeGrants({ db });

const router = Router();
router.get("/awards", async (req, res) => res.json(await awards.named(req.query.name)));
router.get("/grants", async (req, res) => res.json(await grants.named(req.query.name)));
router.get("/grants/:year", async (req, res) => res.json(await grants.year(req.params.year)));
module.exports = router;
