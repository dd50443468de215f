"use strict";
var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) { return desc; };
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
var __metadata = (this && this.__metadata) || function (k, v) {};
Object.defineProperty(exports, "__esModule", { value: true });
exports.PrintsController = void 0;
const common_1 = require("@nestjs/common");
const prints_1 = require("./prints");
let PrintsController = class PrintsController {
    constructor(prints) {
        this.prints = prints;
    }
    queue(printer) {
        return this.prints.queue(printer);
    }
    cancel(job) {
        return this.prints.cancel(job);
    }
    refresh(printer) {
        return this.prints.refresh(printer);
    }
};
exports.PrintsController = PrintsController;
__decorate([
    (0, common_1.Get)("queue"),
    __param(0, (0, common_1.Query)("printer")),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [String]),
    __metadata("design:returntype", Promise)
], PrintsController.prototype, "queue", null);
__decorate([
    (0, common_1.Get)("cancel"),
    __param(0, (0, common_1.Query)("job", common_1.ParseIntPipe)),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Number]),
    __metadata("design:returntype", Promise)
], PrintsController.prototype, "cancel", null);
exports.PrintsController = PrintsController = __decorate([
    (0, common_1.Controller)("prints"),
    __metadata("design:paramtypes", [prints_1.PrintsService])
], PrintsController);
