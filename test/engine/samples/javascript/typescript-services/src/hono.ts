import { Hono } from 'hono';
import { Database } from 'bun:sqlite';
import SqliteDb from 'better-sqlite3';
const app = new Hono();
const db = new SqliteDb('x.db');
app.get('/a', (c) => {
  // vuln: sql_injection
  db.prepare(`SELECT * FROM t WHERE a = '${c.req.query('a')}'`).all();
  // safe: sql_injection
  db.prepare('SELECT * FROM t WHERE a = ?').all(c.req.query('a'));
  // vuln: sql_injection
  db.exec('DELETE FROM t WHERE id = ' + c.req.param('id'));
  // vuln: xss
  return c.html(`<p>${c.req.query('a')}</p>`);
});
app.post('/b', async (c) => {
  const { url } = await c.req.json();
  // vuln: ssrf
  const r = await fetch(url);
  // vuln: open_redirect
  return c.redirect(url);
});
export default app;
