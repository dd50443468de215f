const { Router } = require('express');
const shelves = require('../shelves');

const route = Router();

module.exports = (app) => {
  app.use('/suppliers', route);
  // vuln: missing_authentication
  route.delete('/:id', (req, res) => {
    shelves.destroy(req.params.id);
    res.sendStatus(204);
  });
  return app;
};
