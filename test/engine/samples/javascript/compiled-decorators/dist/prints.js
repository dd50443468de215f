"use strict";
var __createBinding = (this && this.__createBinding) || function (o, m, k) { o[k] = m[k]; };
var __exportStar = (this && this.__exportStar) || function (m, exports) {
    for (var p in m) if (p !== "default") __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
__exportStar(require("./prints.service"), exports);
