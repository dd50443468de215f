"use strict";
var _drawings = _interopRequireDefault(require("./drawings"));
function _interopRequireDefault(e) { return e && e.__esModule ? e : { "default": e }; }
var show = exports.show = function show(req, res) {
  _drawings["default"].read(req.query.name, function (err, data) {
    res.json({ data: data });
  });
};
