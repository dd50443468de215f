import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const all = [
  "CQ001",
  "CQ002",
  "CQ003",
  "CQ004",
  "CQ005",
  "CQ006",
  "CQ007",
  "CQ008",
  "PERF001",
  "PERF002",
  "PERF003",
  "PERF004",
  "PERF005",
];
const found = (source: string, { path = "shop/orders.js", codes = all } = {}): Promise<Finding[]> =>
  findingsOfAll(engine, [{ path, source }], { codes });
const rulesOf = (findings: readonly Finding[]) => findings.map(({ ruleId }) => ruleId);

const longFunction = (name: string, lines = 60) =>
  `function ${name}(page) {\n${Array.from({ length: lines }, (_, i) => `  page.write("${name}", ${i});`).join("\n")}\n}\n`;
const unusedVariable = (name: string) => `function ${name}(order) {\n  const ${name}Total = order.total;\n}\n`;

describe("rules on quality and performance", () => {
  const source = longFunction("print") + unusedVariable("sum");

  it("are silent unless their codes are asked for, each for itself", async () => {
    expect(await findingsOfAll(engine, [{ path: "shop/orders.js", source }])).toEqual([]);
    expect(rulesOf(await found(source, { codes: ["CQ006"] }))).toEqual(["quality.unused-variable"]);
    expect(rulesOf(await found(source))).toEqual(["quality.long-function", "quality.unused-variable"]);
  });

  it("leave what rules on security find as it is", async () => {
    const injected = `${source}const app = require("express")();\napp.get("/", (req, res) => eval(req.query.a));\n`;
    const alone = await findingsOfAll(engine, [{ path: "shop/orders.js", source: injected }]);
    expect(alone.length).toBeGreaterThan(0);
    expect((await found(injected)).filter(({ issueType }) => issueType === "security")).toEqual(alone);
  });

  it.each([
    "test/orders.js",
    "shop/orders.test.js",
    "vendor/orders.js",
    "db/migrations/orders.js",
    "lib/jquery.orders-2.1.js",
    "js/orders.bundle.js",
    "shop/Orders.Designer.cs",
  ])("say nothing about %s", async (path) => {
    expect(await found(source, { path })).toEqual([]);
  });

  it.each([
    ["compiled", `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n`, ""],
    ["compiled with a map", "", "//# sourceMappingURL=orders.js.map\n"],
    ["published", "/*! Orders v2.1.0 | (c) its authors | MIT */\n", ""],
  ])("say nothing about what is %s", async (_, before, after) => {
    expect(await found(before + source + after)).toEqual([]);
  });

  it("list ten places a file and say how many more there are, silenced ones aside", async () => {
    const many = Array.from({ length: 13 }, (_, i) => unusedVariable(`sum${i}`)).join("");
    const silenced = many.replace(
      "  const sum0",
      "  // audit-ignore: quality.unused-variable kept for later\n  const sum0",
    );
    const findings = await found(many);
    expect(findings.length).toBe(10);
    expect(findings.slice(0, 9).every(({ message }) => !message.en.includes("more in this file"))).toBe(true);
    expect(findings[9]?.message.en).toContain("3 more in this file are not listed");
    expect(findings[9]?.message.zh).toContain("另有 3 处");
    const besides = await found(silenced);
    expect(besides.filter(({ suppressed }) => suppressed).length).toBe(1);
    expect(besides.at(-1)?.message.en).toContain("2 more in this file");
  });

  it.each([
    [
      "on the line before",
      "  // eslint-disable-next-line no-unused-vars -- kept for later\n  const sumTotal = 1;",
      false,
    ],
    ["on the line", "  const sumTotal = 1; // NOSONAR", false],
    ["about another rule", "  // eslint-disable-next-line no-await-in-loop\n  const sumTotal = 1;", true],
    ["two lines before", "  // eslint-disable-next-line no-unused-vars\n  print();\n  const sumTotal = 1;", true],
  ])("are silent where a comment for another linter says so, %s", async (_, body, expected) => {
    const findings = await found(`function sum() {\n${body}\n}\n`);
    expect(rulesOf(findings).includes("quality.unused-variable")).toBe(expected);
  });

  it("are silent in a file that begins with such a comment", async () => {
    const silenced = `/* eslint-disable no-unused-vars */\n${source}`;
    expect(rulesOf(await found(silenced))).toEqual(["quality.long-function"]);
  });

  it.each([
    [9, 9],
    [12, 0],
  ])("take what %i of twenty files do for what it is: %i findings", async (others, told) => {
    const files = Array.from({ length: 20 }, (_, i) => ({
      path: `shop/part${i}.php`,
      source: `<?php\nclass ${i < others ? "part" : "Part"}_${i}\n{\n}\n`,
    }));
    expect((await findingsOfAll(engine, files, { codes: all })).length).toBe(told);
  });

  it("tell a function by its name, whatever its lines become", async () => {
    const fingerprints = async (text: string) => (await found(text)).map(({ fingerprint }) => fingerprint);
    const [long, unused] = await fingerprints(source);
    const later = `${"const before = 1;\n".repeat(50)}${longFunction("other")}${longFunction("print", 90)}${unusedVariable("sum")}`;
    expect(await fingerprints(later)).toEqual([expect.any(String), long, unused]);
  });

  it("fill in what they have counted", async () => {
    const [long] = await found(longFunction("print"));
    expect(long?.message.en).toContain("print has 62 lines of code");
    expect(long).toMatchObject({ issueType: "maintainability", severity: "low", startLine: 1 });
    const [longer] = await found(longFunction("print", 120));
    expect(longer).toMatchObject({ ruleId: "quality.long-function", severity: "medium" });
  });

  it("end on code that is all nesting", async () => {
    const deep = `function f(a) {\n${"if (a) {\n".repeat(300)}${"}\n".repeat(300)}}\n`;
    const artefact = await engine.analyse(
      { path: "shop/deep.js", bytes: new TextEncoder().encode(deep) },
      { codes: all },
    );
    expect(artefact.candidates.some(({ ruleId }) => ruleId === "quality.deep-nesting")).toBe(true);
  });
});
