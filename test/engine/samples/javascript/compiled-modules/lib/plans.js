let express = require("express");
express = __toESM(express);
let node_path = require("node:path");
node_path = __toESM(node_path);
const folder = "/srv/plans";
function isBelow(file) {
  const relative = node_path.default.relative(folder, file);
  return Boolean(relative) && !relative.startsWith("..") && !node_path.default.isAbsolute(relative);
}
const app = express.default();
app.get("/plans/:name", (req, res) => {
  const file = node_path.default.join(folder, req.params.name);
  // safe: path_traversal
  if (isBelow(file)) res.sendFile(file);
  // vuln: path_traversal
  else res.download(file);
});
