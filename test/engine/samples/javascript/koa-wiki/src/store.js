const path = require("path");

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => String(text).replace(/[&<>"']/g, (character) => entities[character]);

exports.pagePath = (name) => path.join(__dirname, "pages", `${name}.md`);
exports.render = (text) => `<article>${escape(text)}</article>`;
