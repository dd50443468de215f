import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { findingsOf, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const files: Record<string, { body: string; filler: string }> = {
  "app/users.js": {
    filler: "const unused = 1;",
    body: `const { exec } = require("child_process");
exports.run = (req, res) => {
  exec("ls " + req.query.a);
  exec("ls " + req.query.a);
  res.send("<b>" + req.query.b);
};
const password = "v9Kq2mXz7Lw4";
`,
  },
  "app/users.py": {
    filler: "unused = 1",
    body: `import os
from flask import request

def run():
    os.system("ls " + request.args["a"])
    os.system("ls " + request.args["a"])
    eval(request.args["b"])
`,
  },
  "app/Users.java": {
    filler: "import java.util.List;",
    body: `import javax.servlet.http.*;
class Users {
  void run(HttpServletRequest request) throws Exception {
    Runtime.getRuntime().exec("ls " + request.getParameter("a"));
    Runtime.getRuntime().exec("ls " + request.getParameter("a"));
  }
}
`,
  },
};

const identities = (findings: Finding[]) => findings.map((finding) => [finding.fingerprint, finding.movedFingerprint]);

describe.each(Object.entries(files))("fingerprints in %s", (path, { body, filler }) => {
  it("differ for different findings, also for two equal statements", async () => {
    const findings = await findingsOf(engine, path, body);
    expect(findings.length).toBeGreaterThanOrEqual(2);
    expect(new Set(findings.map((finding) => finding.fingerprint)).size).toBe(findings.length);
    expect(new Set(findings.map((finding) => finding.movedFingerprint)).size).toBe(findings.length);
  });

  it("stay when up to 50 lines come in front", async () => {
    const before = identities(await findingsOf(engine, path, body));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.boolean(), async (count, blank) => {
        const lines = Array.from({ length: count }, () => (blank ? "" : filler)).join("\n");
        expect(identities(await findingsOf(engine, path, `${lines}\n${body}`))).toEqual(before);
      }),
      { numRuns: 15 },
    );
  });

  it("keep the moved half when the file is renamed", async () => {
    const before = await findingsOf(engine, path, body);
    const extension = path.slice(path.lastIndexOf("."));
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}$/), async (name) => {
        const after = await findingsOf(engine, `${name}${extension}`, body);
        expect(after.map((finding) => finding.movedFingerprint)).toEqual(
          before.map((finding) => finding.movedFingerprint),
        );
        expect(after.map((finding) => finding.fingerprint)).not.toEqual(before.map((finding) => finding.fingerprint));
      }),
      { numRuns: 15 },
    );
  });

  it("stay when comments and the layout change", async () => {
    const before = identities(await findingsOf(engine, path, body));
    const comment = path.endsWith(".py") ? "# a note" : "// a note";
    const spaced = body
      .replaceAll(" + ", "  +  ")
      .split("\n")
      .map((line) => (/exec|system/.test(line) ? `${line} ${comment}` : line))
      .join("\n");
    expect(identities(await findingsOf(engine, path, spaced))).toEqual(before);
  });
});

it("stay when quote style, semicolons and trailing commas change", async () => {
  const one = `const { exec } = require("child_process");\nexports.run = (req) => {\n  exec("ls " + req.query.a, { cwd: "x", });\n};\n`;
  const two = `const { exec } = require('child_process')\nexports.run = (req) => {\n  exec('ls ' + req.query.a, { cwd: 'x' })\n}\n`;
  expect(identities(await findingsOf(engine, "a.js", two))).toEqual(identities(await findingsOf(engine, "a.js", one)));
});
