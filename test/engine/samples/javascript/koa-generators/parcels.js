const fs = require("node:fs");

exports.label = function* () {
  const { name } = this.request.body;
  // vuln: path_traversal
  this.body = fs.createReadStream("/srv/labels/" + name);
};

exports.describe = function* (id) {
  return { id: Number(id), kind: "parcel" };
};
