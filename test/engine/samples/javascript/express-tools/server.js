const express = require('express');
const { exec, execFile, spawn } = require('child_process');
const cp = require('child_process');
const util = require('util');
const fs = require('fs');
const path = require('path');
const mathjs = require('mathjs');
const serialize = require('node-serialize');
const libxmljs = require('libxmljs');
const needle = require('needle');
const axios = require('axios');
const got = require('got');
const jwt = require('jsonwebtoken');
const yaml = require('js-yaml');
const ejs = require('ejs');
const pug = require('pug');
const Handlebars = require('handlebars');
const nunjucks = require('nunjucks');
const _ = require('lodash');
const shell = require('shelljs');
const execa = require('execa');
const vm = require('vm');
const mysql = require('mysql2');
const { Pool } = require('pg');
const sqlite3 = require('sqlite3').verbose();
const { Sequelize } = require('sequelize');
const bcrypt = require('bcrypt');
const crypto = require('crypto');
const cookieSession = require('express-session');
const multer = require('multer');
const cors = require('cors');
const xml2js = require('xml2js');
const http = require('http');
const https = require('https');
const url = require('url');
const models = require('./models');

const app = express();
const db = mysql.createConnection({ host: process.env.DB });
const pg = new Pool();
const lite = new sqlite3.Database(':memory:');
const sequelize = new Sequelize(process.env.DATABASE_URL);
const execAsync = util.promisify(exec);

app.post('/ping', function (req, res) {
  // vuln: command_injection
  exec('ping -c 2 ' + req.body.address, function (err, stdout, stderr) {
    const output = stdout + stderr;
    res.render('app/ping', { output: output });
  });
});
app.post('/ping2', async (req, res) => {
  const host = req.body.host || 'localhost';
  // vuln: command_injection
  const { stdout } = await execAsync(`ping -c 1 ${host}`);
  // safe: xss
  res.send(stdout);
});
app.post('/ping3', (req, res) => {
  // vuln: command_injection
  const child = spawn('sh', ['-c', 'nslookup ' + req.body.host]);
  child.stdout.pipe(res);
});
app.post('/ping4', (req, res) => {
  // safe: command_injection
  execFile('ping', ['-c', '1', req.body.host], (e, out) => res.type('text').send(out));
});
app.get('/ls', (req, res) => {
  const { dir } = req.query;
  // vuln: command_injection
  cp.execSync(`ls ${dir}`);
  // vuln: command_injection
  shell.exec('du -sh ' + dir);
  // vuln: command_injection
  execa.command(`tar czf - ${dir}`);
  // vuln: command_injection
  spawn('du -sh ' + dir, { shell: true });
  // vuln: command_injection
  spawn('du', ['-sh', dir], { shell: true });
  // safe: command_injection
  spawn('du', ['-sh', dir]);
  // vuln: command_injection
  require('child_process').exec('cat ' + dir, (e, o) => res.json({ o }));
});
app.post('/calc', (req, res) => {
  // vuln: code_injection
  const result = mathjs.eval(req.body.eqn);
  // vuln: code_injection
  const other = eval(req.body.preTax);
  // vuln: code_injection
  const f = new Function('a', 'return ' + req.body.formula);
  // vuln: code_injection
  setTimeout('alert(' + req.body.x + ')', 10);
  // vuln: code_injection
  vm.runInNewContext(req.body.script, {});
  // vuln: code_injection
  const script = new vm.Script(req.body.code);
  // vuln: code_injection
  const again = (0, eval)(`(${req.body.data})`);
  // vuln: code_injection
  global.eval(req.body.data);
  // safe: code_injection
  const fine = JSON.parse(req.body.data);
  res.json({ result, other, fine });
});
app.post('/import', (req, res) => {
  // vuln: deserialization
  const products = serialize.unserialize(req.files.products.data.toString('utf8'));
  // vuln: xxe
  const doc = libxmljs.parseXmlString(req.files.products.data.toString('utf8'), { noent: true, noblanks: true });
  // vuln: xxe
  const doc2 = libxmljs.parseXml(req.body.xml, { noent: true });
  // safe: xxe
  const doc3 = libxmljs.parseXml(req.body.xml, { noent: false });
  // safe: xxe
  const doc4 = libxmljs.parseXml(req.body.xml);
  // vuln: deserialization
  const y = yaml.load(req.body.yaml, { schema: yaml.DEFAULT_FULL_SCHEMA });
  // safe: deserialization
  const y2 = yaml.safeLoad(req.body.yaml);
  res.json({ products: products.length });
});
app.get('/profile', (req, res) => {
  const cookie = req.cookies.profile;
  if (cookie) {
    const str = Buffer.from(cookie, 'base64').toString();
    // vuln: deserialization
    const obj = serialize.unserialize(str);
    if (obj.username) res.send('Hello ' + escape(obj.username));
  }
});
app.get('/research', (req, res) => {
  if (req.query.symbol) {
    const target = req.query.url + req.query.symbol;
    // vuln: ssrf
    return needle.get(target, (error, newResponse, body) => {
      if (!error && newResponse.statusCode === 200) res.writeHead(200, { 'Content-Type': 'text/html' });
      // safe: xss
      res.write('<h1>The following is the stock information</h1>\n\n' + body);
      return res.end();
    });
  }
});
app.post('/fetch', async (req, res) => {
  // vuln: ssrf
  const a = await axios.get(req.body.url);
  // vuln: ssrf
  const b = await axios({ method: 'get', url: req.body.url });
  // vuln: ssrf
  const c = await got(req.body.url);
  // vuln: ssrf
  const d = await fetch(req.body.url).then((r) => r.text());
  // vuln: ssrf
  http.get(req.body.url, (r) => r.pipe(res));
  // vuln: ssrf
  https.request({ hostname: req.body.host, path: '/' });
  const parsed = new URL(req.body.url);
  // vuln: ssrf
  https.request({ hostname: parsed.hostname, port: parsed.port, path: parsed.pathname });
  // safe: ssrf
  await axios.get('https://api.example.com/users/' + encodeURIComponent(req.body.id));
  // safe: ssrf
  await axios.post('https://api.example.com/hook', { url: req.body.url });
  const allowed = ['api.example.com', 'cdn.example.com'];
  if (allowed.includes(parsed.hostname)) {
    // safe: ssrf
    await axios.get(parsed.href);
  }
  // vuln: ssrf
  const client = axios.create({ baseURL: req.body.base });
  res.json({ a, b, c, d });
});
app.get('/redirect', (req, res) => {
  if (req.query.url) {
    // vuln: open_redirect
    res.redirect(req.query.url);
  } else {
    // safe: open_redirect
    res.redirect('/home?x=' + req.query.next);
  }
});
app.get('/login-done', (req, res) => {
  const next = req.query.next || '/';
  // vuln: open_redirect
  res.setHeader('Location', next);
  // vuln: open_redirect
  res.writeHead(302, { Location: req.query.next });
  if (next.startsWith('/') && !next.startsWith('//')) {
    // safe: open_redirect
    return res.redirect(next);
  }
  // vuln: open_redirect
  res.redirect(301, next);
  // safe: open_redirect
  res.redirect('back');
});
app.post('/usersearch', (req, res) => {
  const query = "SELECT name,id FROM Users WHERE login='" + req.body.login + "'";
  // vuln: sql_injection
  sequelize.query(query, { model: models.User }).then((user) => res.render('users', { user }));
  // vuln: sql_injection
  models.sequelize.query(query);
  // vuln: sql_injection
  db.query(query, (e, rows) => res.json(rows));
  // vuln: sql_injection
  pg.query(`SELECT * FROM t WHERE a = '${req.body.a}'`);
  // vuln: sql_injection
  lite.all('SELECT * FROM t WHERE a = ' + req.body.a, [], (e, rows) => {});
  // vuln: sql_injection
  lite.get(`SELECT * FROM t WHERE a = ${req.body.a}`);
  // safe: sql_injection
  db.query('SELECT * FROM t WHERE a = ?', [req.body.a]);
  // safe: sql_injection
  pg.query('SELECT * FROM t WHERE a = $1', [req.body.a]);
  // safe: sql_injection
  sequelize.query('SELECT * FROM t WHERE a = :a', { replacements: { a: req.body.a } });
  // vuln: sql_injection
  models.User.findAll({ where: sequelize.literal(`name = '${req.body.n}'`) });
  // vuln: sql_injection
  models.User.findAll({ order: sequelize.literal(req.query.sort) });
  const sorts = { name: 'name', date: 'created_at' };
  const sort = sorts[req.query.sort] || 'name';
  // safe: sql_injection
  db.query('SELECT * FROM t ORDER BY ' + sort);
  // safe: sql_injection
  db.query('SELECT * FROM t LIMIT ' + Number(req.query.limit));
  // safe: sql_injection
  db.query('SELECT * FROM t WHERE a = ' + db.escape(req.query.a));
  // safe: sql_injection
  db.query(mysql.format('SELECT * FROM t WHERE a = ?', [req.query.a]));
  const ids = req.body.ids.map((id) => parseInt(id, 10));
  // safe: sql_injection
  db.query(`SELECT * FROM t WHERE id IN (${ids.join(',')})`);
  const marks = req.body.ids.map(() => '?').join(',');
  // safe: sql_injection
  db.query(`SELECT * FROM t WHERE id IN (${marks})`, req.body.ids);
});
app.get('/search', (req, res) => {
  let criteria = req.query.q === 'undefined' ? '' : req.query.q ?? '';
  criteria = criteria.length <= 200 ? criteria : criteria.substring(0, 200);
  // vuln: sql_injection
  models.sequelize.query(`SELECT * FROM Products WHERE ((name LIKE '%${criteria}%') AND deletedAt IS NULL) ORDER BY name`)
    .then(([products]) => res.json(products));
});
app.get('/hello', (req, res) => {
  // vuln: xss
  res.send('Hello ' + req.query.name);
  // vuln: xss
  res.send(`<h1>${req.query.name}</h1>`);
  // vuln: xss
  res.status(404).send('Not found: ' + req.originalUrl);
  // safe: xss
  res.json({ name: req.query.name });
  // safe: xss
  res.send({ name: req.query.name });
  // safe: xss
  res.send('Hello ' + _.escape(req.query.name));
  // vuln: xss
  res.end('<p>' + req.params.id + '</p>');
  // safe: xss
  res.type('text/plain').send(req.query.name);
  res.set('Content-Type', 'text/plain');
  // safe: xss
  res.send(req.query.name);
});
app.get('/hello2', (req, res) => {
  res.setHeader('Content-Type', 'text/html');
  // vuln: xss
  res.write('<b>' + req.query.name + '</b>');
  // safe: xss
  res.write(req.query.name.replace(/</g, '&lt;').replace(/>/g, '&gt;'));
  res.end();
});
app.get('/tpl', (req, res) => {
  // vuln: ssti
  res.send(ejs.render('Hello ' + req.query.name));
  // vuln: ssti
  const fn = pug.compile('p Hello ' + req.query.name);
  // vuln: ssti
  const t = Handlebars.compile(req.body.template);
  // vuln: ssti
  nunjucks.renderString(req.query.tpl);
  // vuln: ssti
  _.template(req.query.tpl)({});
  // safe: ssti
  res.send(ejs.render('Hello <%= name %>', { name: req.query.name }));
  // safe: ssti
  pug.renderFile('views/a.pug', { name: req.query.name });
  // vuln: path_traversal
  res.render(req.query.view);
});
app.get('/file', (req, res) => {
  // vuln: path_traversal
  res.sendFile(path.join(__dirname, 'uploads', req.query.name));
  // vuln: path_traversal
  fs.readFile('./files/' + req.params.file, 'utf8', (e, d) => res.send(d));
  // vuln: path_traversal
  const data = fs.readFileSync(path.resolve('files', req.query.file));
  // safe: path_traversal
  res.sendFile(req.query.name, { root: path.join(__dirname, 'public') });
  // safe: path_traversal
  fs.readFileSync(path.join('files', path.basename(req.query.file)));
  const full = path.resolve('/srv/files', req.query.file);
  if (!full.startsWith('/srv/files/')) return res.sendStatus(403);
  // safe: path_traversal
  fs.createReadStream(full).pipe(res);
});
app.get('/file2', (req, res) => {
  const root = path.join(__dirname, 'public');
  const file = path.join(root, decodeURIComponent(req.query.f));
  // vuln: path_traversal
  fs.stat(file, () => {});
  if (file.indexOf(root) !== 0) return res.status(403).end();
  // safe: path_traversal
  fs.createReadStream(file).pipe(res);
});
app.get('/file3', (req, res) => {
  const root = path.join(__dirname, 'public');
  const file = path.normalize(path.join(root, req.query.f));
  if (file.slice(0, root.length) !== root) return res.status(403).end();
  // safe: path_traversal
  fs.createReadStream(file).pipe(res);
});
app.get('/file4', (req, res) => {
  const name = req.query.f;
  if (name.includes('..') || name.includes('/')) return res.status(400).end();
  // safe: path_traversal
  fs.createReadStream('files/' + name).pipe(res);
});
app.get('/file5', (req, res) => {
  const rel = path.relative('/srv', path.resolve('/srv', req.query.f));
  if (rel.startsWith('..') || path.isAbsolute(rel)) return res.status(400).end();
  // safe: path_traversal
  fs.createReadStream(path.join('/srv', rel)).pipe(res);
});
app.get('/file6', (req, res) => {
  if (!/^[a-z0-9_-]+$/i.test(req.query.f)) return res.status(400).end();
  // safe: path_traversal
  fs.createReadStream('files/' + req.query.f + '.txt').pipe(res);
});
app.get('/file7', (req, res) => {
  const parsed = url.parse(req.url, true);
  // vuln: path_traversal
  fs.createReadStream('public' + parsed.pathname).pipe(res);
  // vuln: path_traversal
  fs.readFile(`${__dirname}/logs/${parsed.query.name}`, () => {});
  // vuln: path_traversal
  fs.promises.readFile(`${__dirname}/logs/${parsed.query.name}`);
  // vuln: path_traversal
  res.download('./reports/' + req.query.report);
});
app.get('/words', (req, res) => {
  const kind = 'word'.valueOf();
  // vuln: xss
  res.send(kind + req.query.word);
});
app.listen(3000);
