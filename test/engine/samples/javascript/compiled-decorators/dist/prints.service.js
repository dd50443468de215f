"use strict";
var PrintsService_1;
Object.defineProperty(exports, "__esModule", { value: true });
exports.PrintsService = void 0;
const tslib_1 = require("tslib");
const common_1 = require("@nestjs/common");
const child_process_1 = require("child_process");
let PrintsService = PrintsService_1 = class PrintsService {
    queue(printer) {
        // vuln: command_injection
        return (0, child_process_1.execSync)("lpq -P " + printer);
    }
    cancel(job) {
        // safe: command_injection
        return (0, child_process_1.execSync)("lprm " + job);
    }
    refresh(printer) {
        // safe: command_injection
        return (0, child_process_1.execSync)("lpstat -p " + printer);
    }
};
exports.PrintsService = PrintsService;
exports.PrintsService = PrintsService = PrintsService_1 = tslib_1.__decorate([
    (0, common_1.Injectable)()
], PrintsService);
