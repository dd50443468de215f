const fs = require("fs/promises");
const path = require("path");
const knex = require("knex")({ client: "pg" });
const { pagePath, render } = require("./store");

exports.show = async (ctx) => {
  // vuln: path_traversal
  const text = await fs.readFile(pagePath(ctx.params.name), "utf8");
  ctx.type = "text/plain";
  ctx.body = text;
};

exports.find = async (ctx) => {
  // vuln: sql_injection
  const rows = await knex.raw("SELECT * FROM page WHERE title = '" + ctx.query.title + "'");
  // safe: sql_injection
  const same = await knex.raw("SELECT * FROM page WHERE title = ?", [ctx.query.title]);
  // safe: sql_injection
  const built = await knex("page").where({ title: ctx.query.title }).orderBy("title");
  // vuln: sql_injection
  const loose = await knex("page").whereRaw(`title = '${ctx.query.title}'`);
  ctx.body = { rows, same, built, loose };
};

exports.raw = async (ctx) => {
  const name = ctx.params.name.replace(/[^a-z0-9-]/gi, "");
  // safe: path_traversal
  ctx.body = await fs.readFile(path.join("pages", name), "utf8");
};

exports.preview = async (ctx) => {
  // vuln: xss
  ctx.body = `<article>${ctx.request.body.text}</article>`;
  // vuln: xss
  ctx.body = `<body class="${ctx.state.theme}"></body>`;
  // safe: xss
  ctx.body = `<body data-start="${ctx.state.started}"></body>`;
  // safe: xss
  ctx.body = render(ctx.request.body.text);
};
