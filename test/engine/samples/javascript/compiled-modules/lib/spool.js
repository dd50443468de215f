"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.named = exports.queue = void 0;
const child_process_1 = require("child_process");
function queue(printer) {
  // vuln: command_injection
  (0, child_process_1.execSync)("lpq -P " + printer);
}
exports.queue = queue;
function named(printer) {
  // safe: command_injection
  (0, child_process_1.execFileSync)("lpq", ["-P", printer]);
}
exports.named = named;
