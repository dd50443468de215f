// Koa before there was `await`: generators that are called on the context.
const app = require("koa")();
const router = require("koa-router")();
const pool = require("mysql2/promise").createPool(process.env.DATABASE_URL);
const parcels = require("./parcels");

router.get("/parcels", function* () {
  // vuln: sql_injection
  this.body = yield pool.query("SELECT * FROM parcel WHERE place = '" + this.query.place + "'");
});
router.get("/parcels/:id", function* (next) {
  // safe: sql_injection
  this.state.parcel = yield pool.query("SELECT * FROM parcel WHERE id = ?", [this.params.id]);
  yield next;
  // safe: xss
  this.body = yield parcels.describe(this.params.id);
});
router.get("/hello", function* () {
  // vuln: xss
  this.body = "<h1>Parcels of " + this.query.name + "</h1>";
});
router.get("/leave", function* () {
  // vuln: open_redirect
  this.redirect(this.query.to);
});
router.post("/labels", parcels.label);

app.use(router.routes());
app.listen(8080);
