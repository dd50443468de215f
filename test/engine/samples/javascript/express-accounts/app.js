const express = require('express');
const session = require('express-session');
const cookieParser = require('cookie-parser');
const cors = require('cors');
const crypto = require('crypto');
const bcrypt = require('bcryptjs');
const jwt = require('jsonwebtoken');
const multer = require('multer');
const _ = require('lodash');
const merge = require('merge');
const winston = require('winston');
const mongoose = require('mongoose');
const nodemailer = require('nodemailer');
const https = require('https');
const axios = require('axios');
const helmet = require('helmet');
const User = require('./models/user');
const Order = require('./models/order');
const logger = winston.createLogger({});

const app = express();
app.use(express.json());
// vuln: permissive_cors
app.use(cors({ origin: true, credentials: true }));
// safe: permissive_cors
app.use(cors());
app.use((req, res, next) => {
  // vuln: permissive_cors
  res.header('Access-Control-Allow-Origin', req.headers.origin);
  res.header('Access-Control-Allow-Credentials', 'true');
  next();
});
app.use(
  // vuln: hardcoded_key
  // vuln: insecure_cookie
  session({
    secret: 'keyboard cat',
    resave: true,
    saveUninitialized: true,
    cookie: { secure: false, httpOnly: false },
  }),
);
const upload = multer({ dest: 'uploads/', limits: { fileSize: 100000 }, fileFilter: (req, file, cb) => cb(null, file.mimetype === 'image/png') });
app.post('/login', async (req, res) => {
  const { email, password } = req.body;
  // vuln: nosql_injection
  const user = await User.findOne({ email: email, password: password });
  // vuln: nosql_injection
  const u2 = await User.find(req.body);
  // safe: nosql_injection
  const u3 = await User.findById(req.params.id);
  // safe: nosql_injection
  const u4 = await User.findOne({ email: String(req.body.email) });
  // vuln: nosql_script
  const u5 = await User.find({ $where: `this.age > ${req.query.age}` });
  // vuln: nosql_script
  const u6 = await User.find().where('name').equals('x').$where('this.name == "' + req.query.n + '"');
  // vuln: hardcoded_key
  const token = jwt.sign({ id: user.id }, 'shhhhh-secret');
  // safe: hardcoded_key
  const token2 = jwt.sign({ id: user.id }, process.env.JWT_SECRET);
  // vuln: insecure_cookie
  res.cookie('session', token, { httpOnly: false });
  // vuln: insecure_cookie
  res.cookie('token', token);
  // safe: insecure_cookie
  res.cookie('token', token, { httpOnly: true, secure: true, sameSite: 'strict' });
  // safe: insecure_cookie
  res.cookie('lang', 'en');
  // vuln: sensitive_logging
  console.log('login', email, password);
  // vuln: sensitive_logging
  logger.info(`user ${email} logged in with ${password}`);
  // safe: sensitive_logging
  logger.info('password changed');
  // vuln: log_injection
  console.log('login of ' + email);
  if (!user) return res.status(401).json({ error: 'no' });
  res.json({ token, token2 });
});
app.post('/verify', (req, res) => {
  // safe: jwt_unverified
  const a = jwt.decode(req.headers.authorization);
  // vuln: jwt_unverified
  const b = jwt.verify(req.body.token, null, { algorithms: ['none'] });
  // vuln: jwt_unverified
  const d = jwt.verify(req.body.token, process.env.KEY, { algorithms: ['HS256', 'none'] });
  // safe: jwt_unverified
  const e = jwt.verify(req.body.token, process.env.KEY, { algorithms: ['HS256'] });
  const f = jwt.verify(req.body.token, process.env.KEY, { ignoreExpiration: true });
  if (a.admin) res.json({ b, d, e, f });
});
app.post('/register', async (req, res) => {
  // vuln: weak_password_hash
  const h1 = crypto.createHash('md5').update(req.body.password).digest('hex');
  // vuln: weak_password_hash
  const h2 = crypto.createHash('sha256').update(req.body.password).digest('hex');
  // safe: weak_password_hash
  const h3 = await bcrypt.hash(req.body.password, 12);
  // vuln: weak_password_hash
  const h4 = bcrypt.hashSync(req.body.password, 4);
  // vuln: weak_password_hash
  const h5 = crypto.pbkdf2Sync(req.body.password, 'salt', 1, 64, 'sha512');
  // vuln: weak_random
  const resetToken = Math.random().toString(36).slice(2);
  // safe: weak_random
  const resetToken2 = crypto.randomBytes(32).toString('hex');
  // safe: weak_random
  const color = Math.floor(Math.random() * 255);
  // vuln: weak_cipher
  const c1 = crypto.createCipheriv('des-ede3', process.env.K, null);
  // vuln: weak_cipher
  const c2 = crypto.createCipheriv('aes-128-ecb', process.env.K, null);
  // vuln: weak_cipher
  const c3 = crypto.createCipher('aes192', process.env.K);
  // safe: weak_cipher
  const c4 = crypto.createCipheriv('aes-256-gcm', process.env.K, crypto.randomBytes(12));
  // vuln: mass_assignment
  const user = new User(req.body);
  // vuln: mass_assignment
  await User.create(req.body);
  // safe: mass_assignment
  await User.create({ name: req.body.name, email: req.body.email });
  // safe: mass_assignment
  await User.create(_.pick(req.body, ['name', 'email']));
  // vuln: mass_assignment
  await User.findByIdAndUpdate(req.params.id, req.body);
  // vuln: mass_assignment
  await User.updateOne({ _id: req.params.id }, { $set: req.body });
  // vuln: mass_assignment
  Object.assign(user, req.body);
  // vuln: mass_assignment
  const order = new Order({ ...req.body, paid: false });
  await user.save();
  res.json(user);
});
app.put('/settings', (req, res) => {
  const settings = {};
  // vuln: prototype_pollution
  _.merge(settings, req.body);
  // vuln: prototype_pollution
  _.set(settings, req.body.path, req.body.value);
  // vuln: prototype_pollution
  settings[req.body.section][req.body.key] = req.body.value;
  // safe: prototype_pollution
  settings[req.body.key] = req.body.value;
  // safe: prototype_pollution
  const copy = { ...settings, ...req.body };
  // vuln: prototype_pollution
  merge.recursive(settings, req.body);
  res.json(copy);
});
app.get('/match', (req, res) => {
  // vuln: redos
  const re = new RegExp(req.query.q);
  // vuln: redos
  const bad = /^(([a-z])+.)+[A-Z]([a-z])+$/.test(req.query.q);
  // vuln: redos
  const bad2 = /([0-9]+)+\#/.test(req.query.q);
  // safe: redos
  const fine = /^[a-z]+$/.test(req.query.q);
  // safe: redos
  const fine2 = new RegExp(_.escapeRegExp(req.query.q));
  res.json({ ok: fine });
});
// an error handler
app.use((err, req, res, next) => {
  // vuln: verbose_error
  res.status(500).send(err.stack);
});
app.use((err, req, res, next) => {
  // vuln: verbose_error
  res.status(500).json({ message: err.message, stack: err.stack });
});
app.use((err, req, res, next) => {
  // safe: verbose_error
  res.status(500).json({ message: err.message, stack: process.env.NODE_ENV === 'development' ? err.stack : undefined });
});
app.use((err, req, res, next) => {
  if (process.env.NODE_ENV !== 'production') {
    // safe: verbose_error
    return res.status(500).send(err.stack);
  }
  res.status(500).send('error');
});
app.get('/secret', (req, res) => {
  if (req.headers['x-api-key'] === process.env.API_KEY) return res.json({ ok: true });
  if (crypto.timingSafeEqual(Buffer.from(req.headers['x-api-key']), Buffer.from(process.env.API_KEY))) res.json({ ok: true });
});
// vuln: tls_verification
const agent = new https.Agent({ rejectUnauthorized: false });
// vuln: tls_verification
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
// vuln: hardcoded_secret
const apiKey = 'sk_live_' + '4eC39HqLyjWDarjtT1zdp7dc';
// vuln: hardcoded_secret
const dbPassword = 'Sup3rS3cret!9';
app.get('/header', (req, res) => {
  res.setHeader('X-Name', req.query.name);
  res.setHeader('X-Name', encodeURIComponent(req.query.name));
});
app.listen(3000);
