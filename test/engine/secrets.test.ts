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
  ])("is %s", (value) => {
    expect(isPlaceholder(value)).toBe(true);
  });
  it.each(["v9Kq2mXz7Lw4", "8fJ2kd93Lsm20xQpZ71b", token])("is not %s", (value) => {
    expect(isPlaceholder(value)).toBe(false);
  });
});

it("measures entropy in bits per character", () => {
  expect(entropyOf("aaaa")).toBe(0);
  expect(entropyOf("abab")).toBe(1);
  expect(entropyOf("abcd")).toBe(2);
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
