/** A small web application with one problem per marked line and safe look-alikes beside them. */
export const vulnerableApp = {
  "shop/app.py": `import sqlite3
from flask import Flask, request

app = Flask(__name__)


@app.route("/orders")
def orders():
    name = request.args.get("name")
    db = sqlite3.connect("shop.db")
    cursor = db.cursor()
    cursor.execute("SELECT * FROM orders WHERE name = '" + name + "'")
    cursor.execute("SELECT * FROM orders WHERE name = ?", (name,))
    return {"orders": cursor.fetchall()}
`,
  "shop/server.js": `const express = require("express");
const { exec } = require("node:child_process");

const app = express();

app.get("/ping", (req, res) => {
  exec("ping -c 1 " + req.query.host, (error, out) => res.json({ out }));
});

app.get("/safe", (req, res) => {
  exec("ping -c 1 localhost", (error, out) => res.json({ out }));
});
`,
  "shop/node_modules/dep/index.js": `eval(process.argv[2]);\n`,
  "README.md": "# shop\n",
} as const;

/** Where the problems are: path, line, CWE. */
export const expectedFindings = [
  ["shop/app.py", 12, 89],
  ["shop/server.js", 7, 78],
] as const;
