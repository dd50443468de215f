const path = require("path");

const SORT_COLUMNS = ["created", "total", "status"];

/** What the caller is looking for. */
function searchTerm(req) {
  return req.query.term || "";
}

function pageNumber(req) {
  return parseInt(req.query.page, 10) || 1;
}

function sortColumn(name) {
  return SORT_COLUMNS.includes(name) ? name : "created";
}

function quoted(text) {
  return `'${text}'`;
}

function shorten(text) {
  return text.slice(0, 200).trim();
}

function isKnownReport(name) {
  return ["daily", "weekly", "monthly"].includes(name);
}

function looksFine(name) {
  console.log("checked", name);
  return name.length < 100;
}

function requireDigits(value) {
  if (!/^\d+$/.test(value)) {
    throw new Error("digits expected");
  }
}

function insideUploads(name) {
  const root = path.resolve("uploads");
  const full = path.resolve(root, name);
  if (!full.startsWith(root + path.sep)) throw new Error("outside");
  return full;
}

function sanitizeName(name) {
  return name.replace("<", "");
}

module.exports = {
  searchTerm,
  pageNumber,
  sortColumn,
  quoted,
  shorten,
  isKnownReport,
  looksFine,
  requireDigits,
  insideUploads,
  sanitizeName,
  SORT_COLUMNS,
};
