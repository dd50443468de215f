"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
const tools_1 = require("./tools");
exports.print = (req, res) => {
  (0, tools_1.queue)(req.query.printer);
  (0, tools_1.named)(req.query.printer);
  res.end();
};
