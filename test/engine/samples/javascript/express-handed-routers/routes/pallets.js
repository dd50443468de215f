const express = require('express');
const shelves = require('../shelves');

class PalletRoutes {
  constructor() {
    this.router = express.Router();
    // vuln: missing_authentication
    this.router.delete('/:id', this.remove);
  }

  remove(req, res) {
    shelves.destroy(req.params.id);
    res.sendStatus(204);
  }
}

module.exports = PalletRoutes;
