const escapeHtml = require("escape-html");
const { Router } = require("express");
const { searchTerm, sanitizeName } = require("../lib/input");

const router = Router();

router.get("/hello", (req, res) => {
  // vuln: xss
  res.send("<h1>Hello " + req.query.name + "</h1>");
});

router.get("/search", (req, res) => {
  // vuln: xss
  res.send(`<p>Nothing found for ${searchTerm(req)}</p>`);
});

router.get("/name", (req, res) => {
  // vuln: xss
  res.send(`<p>${sanitizeName(req.query.name)}</p>`);
});

router.get("/escaped", (req, res) => {
  // safe: xss
  res.send(`<p>Nothing found for ${escapeHtml(searchTerm(req))}</p>`);
});

router.get("/json", (req, res) => {
  // safe: xss
  res.json({ term: searchTerm(req) });
});

router.get("/text", (req, res) => {
  res.type("text/plain");
  // safe: xss
  res.send(searchTerm(req));
});

router.get("/go", (req, res) => {
  // vuln: open_redirect
  res.redirect(req.query.next);
});

router.get("/go-home", (req, res) => {
  const targets = { home: "/", cart: "/cart" };
  // safe: open_redirect
  res.redirect(targets[req.query.next] || "/");
});

router.get("/go-local", (req, res) => {
  // safe: open_redirect
  res.redirect("/users/" + req.query.id);
});

module.exports = router;
