const { Router } = require('express');
const sessions = require('../sessions');
const stock = require('./stock');
const suppliers = require('./suppliers');

const route = Router();

module.exports = (app) => {
  app.use('/back-office', route);
  suppliers(route);
  route.use(sessions.authenticate());
  stock(route);
  return app;
};
