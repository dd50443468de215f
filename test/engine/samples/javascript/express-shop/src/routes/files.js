const fs = require("fs");
const path = require("path");
const { exec, execFile } = require("child_process");
const { Router } = require("express");
const input = require("../lib/input");

const router = Router();

router.get("/:name", (req, res) => {
  // vuln: path_traversal
  fs.readFile(path.join("uploads", req.params.name), (error, data) => res.type("application/octet-stream").send(data));
});

router.get("/inside/:name", (req, res) => {
  // safe: path_traversal
  fs.createReadStream(input.insideUploads(req.params.name)).pipe(res);
});

router.get("/base/:name", (req, res) => {
  // safe: path_traversal
  res.sendFile(path.join(__dirname, "uploads", path.basename(req.params.name)));
});

router.get("/root/:name", (req, res) => {
  // safe: path_traversal
  res.sendFile(req.params.name, { root: "uploads" });
});

router.post("/thumb", (req, res) => {
  // vuln: command_injection
  exec("convert " + req.body.file + " thumb.png", () => res.end());
});

router.post("/thumb-safe", (req, res) => {
  // safe: command_injection
  execFile("convert", [req.body.file, "thumb.png"], () => res.sendStatus(204));
});

module.exports = router;
