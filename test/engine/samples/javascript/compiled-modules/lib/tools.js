"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
var spool_1 = require("./spool");
Object.defineProperty(exports, "queue", { enumerable: true, get: function () { return spool_1.queue; } });
Object.defineProperty(exports, "named", { enumerable: true, get: function () { return spool_1.named; } });
