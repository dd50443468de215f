const express = require('express');
const mongoSanitize = require('express-mongo-sanitize');
const loginUrl = require('login-url');
const members = require('./members');

const app = express();
app.use(express.json());
app.use(mongoSanitize());
app.use((req, res, next) => {
  if (req.secure) return next();
  // safe: open_redirect
  if (req.hostname.endsWith('.example.org')) return res.redirect('https://' + req.hostname + req.originalUrl);
  // safe: open_redirect
  res.redirect(`https://${req.headers.host}${req.url}`);
});
app.use('/members', members);
app.get('/login', (req, res) => {
  // safe: open_redirect
  res.redirect(loginUrl('/after?next=' + req.query.next));
});
app.get('/away', (req, res) => {
  // vuln: open_redirect
  res.redirect(loginUrl(req.query.next));
});
app.listen(3000);
