const express = require("express");
const session = require("express-session");
const Savings = require("./savings");
const { SessionHandler } = require("./session");

module.exports = (app, db) => {
  const savings = new Savings(db);
  const handler = new SessionHandler(db);
  const isLoggedIn = handler.isLoggedIn;

  // vuln: insecure_cookie
  app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: true }));
  app.use(express.urlencoded({ extended: true }));
  // vuln: rate_limit
  app.post("/login", handler.logIn);
  app.get("/savings", isLoggedIn, savings.show);
};
