import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { entropyOf } from "../../functions/engine/secrets/entropy.ts";
import { isPlaceholder } from "../../functions/engine/secrets/placeholder.ts";
import { analyseOne, findingsOf, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

// Random text in the form the services use.
const token = "ghp_x7Kd2Qm9Zt4Wb8Rn3Vc6Jh1Lp5Gs0Yf7Ta2E";

it.each(["settings.env", "notes.md", "deploy.yml", "main.go", "app.js", "app.py"])(
  "finds a token in %s and nowhere shows it",
  async (path) => {
    const artefact = await analyseOne(engine, path, `a: 1\nkey: "${token}" # twice: ${token}\n`);
    const findings = engine.link([artefact]);
    expect(findings.map((finding) => [finding.ruleId, finding.startLine])).toEqual([
      ["hardcoded-secret.provider-token", 2],
      ["hardcoded-secret.provider-token", 2],
    ]);
    expect(JSON.stringify([artefact, findings])).not.toContain(token);
    expect(findings[0]?.snippet).toContain("ghp_****");
  },
);

it.each([
  ["a docstring", `def connect():\n    """\n    connect("${token}")\n    """\n`, "low"],
  ["an example", `connection_example = dict(\n    key="${token}",\n)\n`, "low"],
  ["code", `def connect():\n    return open_with("${token}")\n`, "critical"],
])("tells a token in %s by how it weighs", async (_, source, severity) => {
  const found = await findingsOf(engine, "shop/client.py", source);
  expect(found.map((finding) => [finding.ruleId, finding.severity])).toEqual([
    ["hardcoded-secret.provider-token", severity],
  ]);
});

it("tells the place of the value itself", async () => {
  const [finding] = await findingsOf(engine, "a.env", `GITHUB=${token}\n`);
  expect(finding).toMatchObject({ startLine: 1, startColumn: 8, endLine: 1, endColumn: 8 + token.length });
});

it("gives the same value the same fingerprint wherever it moves in the file, another value another", async () => {
  const of = async (source: string) =>
    (await findingsOf(engine, "a.env", source)).map((finding) => finding.fingerprint);
  const other = token.replace("x7K", "z3P");
  expect(await of(`\n\n\nB=${token}\n`)).toEqual(await of(`A=${token}\n`));
  expect(await of(`A=${other}\n`)).not.toEqual(await of(`A=${token}\n`));
});

it("is not in a text of a document that shows how to call something", async () => {
  const call = 'connect(\\n  user=\\"user\\",\\n  password=\\"password\\",\\n)';
  const told = async (key: string) => (await findingsOf(engine, "a.json", `{\n  "${key}": "${call}"\n}\n`)).length;
  expect([await told("code_example"), await told("start")]).toEqual([0, 1]);
});

it("is told once where a rule knows what it is for, and once for each other secret there", async () => {
  const source = `const session = require("express-session");
app.use(session({
  secret: "pAgGxo8Hzg7PFlv1HpO8Eg0Y6xtP7zYx",
  store: stored({ password: "kR9wq2Vd7Lm4" }),
  cookie: { secure: true },
}));
`;
  const found = await findingsOf(engine, "a.js", source);
  expect(found.map(({ ruleId, startLine }) => [ruleId, startLine])).toEqual([
    ["hardcoded-secret.signing-key", 2],
    ["hardcoded-secret.assigned-value", 4],
  ]);
});

it("passes over megabytes full of keywords in bounded work", async () => {
  const { coverage } = await analyseOne(engine, "a.txt", "password secret token apikey ".repeat(200_000));
  expect(coverage.status).toBe("analysed");
});

describe("a placeholder", () => {
  it.each([
    "changeme",
    "your-api-key",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder looks like this.
    "${SECRET}",
    "{{ token }}",
    "xxxxxxxxxxxx",
    "aaaaaaaa",
    "<password>",
    "process.env.KEY",
    "example-key-1",
    "password123".slice(0, 8),
    "1234567890",
    "0123456789abcdef0123456789abcdef",
    "test-webhook-secret-99",
    "test_encryption_key_for_login_32ch",
    "YourSigningKeyOfThirtyTwoLetters",
    "__NOT_SHOWN__",
  ])("is %s", (value) => {
    expect(isPlaceholder(value)).toBe(true);
  });
  it.each(["v9Kq2mXz7Lw4", "8fJ2kd93Lsm20xQpZ71b", "test_9c41f07be2d85a36", token])("is not %s", (value) => {
    expect(isPlaceholder(value)).toBe(false);
  });
});

it("measures entropy in bits per character", () => {
  expect(entropyOf("aaaa")).toBe(0);
  expect(entropyOf("abab")).toBe(1);
  expect(entropyOf("abcd")).toBe(2);
});

describe("a secret", () => {
  /** All that leaves the engine: the artefact with its links, the findings, and what a model would see. */
  const everything = async (path: string, source: string) => {
    const artefact = await analyseOne(engine, path, source);
    expect(artefact.coverage.status).toBe("analysed");
    const findings = engine.link([artefact]);
    expect(findings).not.toEqual([]);
    return JSON.stringify([
      artefact,
      findings,
      engine.unitsOf({ path, bytes: new TextEncoder().encode(source) }, findings, artefact),
    ]);
  };

  it("is not shown where a rule finds it by what it is used for", async () => {
    const source = `const jwt = require("jsonwebtoken");
const phrase = "violet " + 'tractor singing';
exports.issue = (user) => jwt.sign({ sub: user.id }, phrase, { expiresIn: "1h" });
exports.check = (t) => jwt.verify(t, "marble lantern", { algorithms: ["HS256"] });
`;
    const shown = await everything("tokens.js", source);
    expect(shown).toContain("hardcoded-secret.signing-key");
    for (const part of ["tractor", "violet", "lantern"]) expect(shown).not.toContain(part);
  });

  it("is not kept beside what a function of another file was called with", async () => {
    const source = `<?php
use Firebase\\JWT\\JWT;
$rows = open_store('violet lantern', $_GET['name']);
echo "<p>$rows</p>";
echo '<p>' . shown(read_store('violet lantern')) . '</p>';
$token = JWT::encode($_SESSION, 'violet lantern', 'HS256');
`;
    expect(await everything("rows.php", source)).not.toContain("lantern");
  });

  it("is not in the names, anchors and steps of other findings", async () => {
    const source = `import os
from flask import request

def client(token):
    return os

def fetch():
    os.system("curl -H ${token} " + request.args["url"])
    client("${token}").system(request.args["${token}"])
`;
    expect(await everything("app.py", source)).not.toContain(token.slice(0, 8));
  });

  it("is not shown by halves where a step or a line is cut", async () => {
    const shift = (i: number) => "x".repeat(i);
    for (let i = 0; i < 40; i += 3) {
      const source = `import os
from flask import request

def fetch():
    os.system(request.args["${shift(60 + i)}"] + "${shift(i)} ${token}")
    long = "${shift(1_950 + i)} ${token}"; os.system(request.args["b"])
${"# more\n".repeat(20)}`;
      expect(await everything("app.py", source)).not.toContain(token.slice(0, 8));
    }
  });

  it("is not shown where it goes over several lines", async () => {
    const lines = [
      "MIIEowIBAAKCAQEAq3Zk9Lx2VbT7nQeR5uWcYdHs1JfGpMvXtAz8KiOo4ErBwNlC",
      "Zk9Lx2VbT7nQeR5uWcYdHs1JfGpMvXtAz8KiOo4ErBwNlCMIIEowIBAAKCAQEAq3",
      "qL8tVw==",
    ];
    const pem = (end: string) => `key = """-----BEGIN RSA PRIVATE KEY-----\n${lines.join("\n")}\n${end}"""\n`;
    for (const end of ["-----END RSA PRIVATE KEY-----", ""]) {
      const shown = await everything("key.py", pem(end));
      for (const line of end ? lines : lines.slice(0, 2)) expect(shown).not.toContain(line.slice(5));
    }
  });

  it("is found in full where it is longer than the text around a keyword", async () => {
    const body = Array.from({ length: 60 }, (_, i) => "x7Kd2Qm9Zt4Wb8Rn3Vc6".slice(i % 7)).join("");
    const long = `pypi-AgEIcHlwaS5vcmc${body.slice(0, 700)}`;
    const source = `KEY = "${long}"\n`;
    const [finding] = await findingsOf(engine, "a.env", source);
    expect(finding?.endColumn).toBe(`KEY = "${long}`.length + 1);
    expect(await everything("a.env", source)).not.toContain(body.slice(680, 700));
  });
});

it("shows no secret in what other rules find on its line", async () => {
  const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  const source = `import os
from flask import request

def fetch():
    os.system("curl -H ${token} " + request.args["url"])
`;
  const findings = await findingsOf(engine, "app.py", source);
  expect(findings.map((finding) => finding.family).sort()).toEqual(["command_injection", "hardcoded_secret"]);
  expect(JSON.stringify(findings)).not.toContain(token.slice(5));
});

it("is found on each of several lines that follow one another", async () => {
  const source = "store_password: kR9wq2Vd7Lm4\nmail_password: m4Rk82sLzQwe\nsearch_password: Wq7fTz20xKpa\n";
  const found = await findingsOf(engine, "settings.yml", source);
  expect(found.map(({ startLine }) => startLine)).toEqual([1, 2, 3]);
});
