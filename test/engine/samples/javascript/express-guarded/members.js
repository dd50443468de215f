const express = require('express');
const loginUrl = require('login-url');
const Member = require('./models/member');
const archive = require('member-archive');
const baseUrl = require('./base-url');
const fs = require('fs');
const folders = require('./folders');

const router = express.Router();
const hostPattern = new RegExp('^[a-z0-9-]+(\\.[a-z0-9-]+)*$');

router.post('/find', async (req, res) => {
  // safe: nosql_injection
  const member = await Member.findOne({ email: req.body.email });
  res.json(member);
});
router.get('/:id', async (req, res) => {
  // safe: xss
  res.send(await archive.load(req.params.id));
});
router.get('/:id/old', (req, res) => {
  archive.load(req.params.id).then((old) => {
    // safe: xss
    res.send(old);
  });
});
router.get('/:id/page', async (req, res) => {
  // vuln: xss
  res.send(await archive.renderPage(req.params.id));
});
router.get('/badge/:name', (req, res) => {
  // safe: xss
  res.send(Buffer.from(req.params.name).toString('base64'));
});
router.post('/', (req, res) => {
  // safe: open_redirect
  res.redirect(baseUrl(req) + '/members/' + req.body.name);
});
router.get('/files', async (req, res) => {
  for (const entry of await folders.list(req.user.id)) {
    // safe: path_traversal
    fs.readFileSync('/srv/files/' + entry.name);
  }
  res.json({});
});
router.get('/names', (req, res) => {
  const names = req.query.names.map((name) => loginUrl.escape(name));
  if (!hostPattern.test(req.query.host)) return res.sendStatus(400);
  // safe: xss
  res.send(req.query.host);
});

module.exports = router;
