exports.plain = (value) => String(value);
exports.lines = (value) => value.replace(/[\r\n]+/g, " ");
exports.loud = (value) => value.toUpperCase();
