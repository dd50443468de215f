const Koa = require('koa');
const Router = require('@koa/router');
const { exec } = require('child_process');
const fs = require('fs');
const app = new Koa();
const router = new Router();
router.get('/a', async (ctx) => {
  const { q } = ctx.query;
  // vuln: xss
  ctx.body = `<b>${q}</b>`;
  // vuln: command_injection
  exec('ls ' + ctx.request.body.dir);
  // vuln: path_traversal
  fs.readFileSync('/data/' + ctx.params.f);
  // vuln: open_redirect
  ctx.redirect(ctx.query.to);
  // safe: xss
  ctx.body = { q };
});
exports.handler = async (event) => {
  const body = JSON.parse(event.body);
  // vuln: command_injection
  exec('ls ' + body.dir);
  return { statusCode: 200 };
};
