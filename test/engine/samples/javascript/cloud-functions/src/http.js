const { exec } = require("node:child_process");
const functions = require("firebase-functions");
const { app } = require("@azure/functions");

exports.resize = functions.https.onRequest((req, res) => {
  // vuln: command_injection
  exec(`convert ${req.query.file} out.png`, () => res.end());
});

exports.archive = functions.https.onCall((data, context) => {
  // vuln: command_injection
  exec(`tar czf out.tgz ${data.folder}`);
  // safe: command_injection
  exec(`tar czf ${Number(data.year)}.tgz data`);
});

app.http("scale", {
  handler: async (request, context) => {
    // vuln: command_injection
    exec(`convert -scale ${request.query.get("size")} in.png out.png`);
    // vuln: command_injection
    exec(`convert ${await request.text()} out.png`);
  },
});

module.exports = async function (context, req) {
  // vuln: command_injection
  exec(`convert ${req.body.name} out.png`);
};
