const Koa = require("koa");
const Router = require("@koa/router");
const { bodyParser } = require("@koa/bodyparser");
const pages = require("./pages");
const { loadUser } = require("./session");

const app = new Koa();
const router = new Router();
router.get("/pages/:name", pages.show);
router.get("/find", pages.find);
router.get("/raw/:name", pages.raw);
router.post("/preview", pages.preview);
app.use(bodyParser());
app.use(loadUser);
app.use(router.routes());

router.get("/go", (ctx) => {
  // vuln: open_redirect
  ctx.redirect(ctx.query.to);
});

router.get("/go-safe", (ctx) => {
  const to = String(ctx.query.to);
  if (!/^\/[a-z]+$/.test(to)) ctx.throw(400);
  // safe: open_redirect
  ctx.redirect(to);
});

router.get("/eval", (ctx) => {
  // vuln: code_injection
  ctx.body = { value: eval(ctx.query.sum) };
  // safe: code_injection
  ctx.body = { value: eval("1 + 1") };
});

app.listen(3000);
