"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports["default"] = void 0;
var _fs = _interopRequireDefault(require("fs"));
var _path = _interopRequireDefault(require("path"));
function _interopRequireDefault(e) { return e && e.__esModule ? e : { "default": e }; }
var folder = "/srv/drawings";
var read = function read(name, callback) {
  // vuln: path_traversal
  _fs["default"].readFile(_path["default"].join(folder, name), callback);
};
var readPlain = function readPlain(name, callback) {
  // safe: path_traversal
  _fs["default"].readFile(_path["default"].join(folder, _path["default"].basename(name)), callback);
};
var _default = exports["default"] = { read: read, readPlain: readPlain };
