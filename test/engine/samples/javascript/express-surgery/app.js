const express = require("express");
const session = require("express-session");
const { accounts } = require("./store");

const app = express();
app.set("view engine", "pug");
app.use(express.urlencoded({ extended: false }));
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }));

app.post("/login", async (req, res) => {
  const account = await accounts.check(String(req.body.name), String(req.body.password));
  if (!account) return res.sendStatus(401);
  // vuln: session_fixation
  req.session.user = { id: account.id, role: account.role };
  res.redirect("/");
});

app.use("/visits", require("./routes/visits"));
app.use("/admin", require("./routes/admin"));
app.listen(3000);
