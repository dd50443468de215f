import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { summarise } from "../../bin/scan/result.ts";
import { plain, relativeUri, sarifOf } from "../../bin/scan/sarif.ts";
import { sayIn } from "../../bin/scan/texts.ts";
import type { Issue } from "../../bin/scan/views.ts";
import { hostile, issue, result, step, task } from "./results.ts";

const isSarif = sarifValidator();
const sarif = (issues: readonly Issue[], given: Parameters<typeof result>[1] = {}) => {
  const scan = result(issues, given);
  const text = sarifOf(scan, summarise(scan), sayIn("en"), "1.2.3");
  const log = JSON.parse(text);
  return { text, log, run: log.runs[0] };
};

describe("SARIF", () => {
  it("passes the schema of SARIF 2.1.0", () => {
    const trace = [step(), step({ role: "step" }), step({ role: "sink" })];
    const warnings = [{ code: "files_not_analysed" as const, count: 1, paths: ["a b.js"] }];
    const issues = [
      issue({ trace }),
      issue({
        line_number: null,
        column_number: null,
        code_snippet: null,
        title: null,
        message: null,
        suggestion: null,
      }),
    ];
    expect(isSarif(sarif(issues, { task: task({ warnings }) }).log)).toEqual([]);
    expect(isSarif(sarif([]).log)).toEqual([]);
  });

  it("is not valid for the asking: the schema does refuse", () => {
    const { log } = sarif([issue()]);
    log.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0;
    delete log.runs[0].tool.driver.name;
    expect(isSarif(log)).toHaveLength(2);
  });

  it("describes each rule as code-scanning hosts expect", () => {
    const { run } = sarif([
      issue({ severity: "medium", confidence: 0.6, fingerprint: "1" }),
      issue({ severity: "critical", confidence: 0.95, fingerprint: "2" }),
      issue({ rule_id: "a.style", issue_type: "style", cwe: [], owasp_2021: null, owasp_2025: null }),
    ]);
    const [style, injection] = run.tool.driver.rules;
    expect(style).toMatchObject({ id: "a.style", name: "AStyle", properties: { tags: ["style"] } });
    expect(style.properties).not.toHaveProperty("security-severity");
    expect(injection).toEqual({
      id: "sql-injection.tainted-statement",
      name: "SqlInjectionTaintedStatement",
      shortDescription: { text: "SQL injection" },
      fullDescription: { text: "SQL injection (CWE-89, OWASP A03:2021)" },
      help: {
        text: "Pass the value as a parameter of the statement.",
        markdown:
          "Pass the value as a parameter of the statement.\n\n[CWE-89](https://cwe.mitre.org/data/definitions/89.html)",
      },
      defaultConfiguration: { level: "error" },
      properties: {
        tags: ["security", "external/cwe/cwe-89", "external/owasp/owasp-a03-2021", "external/owasp/owasp-a05-2025"],
        precision: "medium",
        "security-severity": "9.5",
      },
    });
    for (const found of run.results) expect(run.tool.driver.rules[found.ruleIndex].id).toBe(found.ruleId);
  });

  it("says where, how severe, how known again and how the value got there", () => {
    const { run } = sarif([issue({ trace: [step(), step({ role: "sink", line: 12 })] })]);
    expect(run.columnKind).toBe("utf16CodeUnits");
    expect(run.results[0]).toMatchObject({
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "src/app.js", uriBaseId: "%SRCROOT%" },
            region: {
              startLine: 12,
              startColumn: 5,
              endLine: 12,
              endColumn: 25,
              snippet: { text: '    db.query("select " + id);' },
            },
          },
          logicalLocations: [{ fullyQualifiedName: "handler/2" }],
        },
      ],
      partialFingerprints: { primaryLocationLineHash: "5f2c0d" },
      codeFlows: [{ threadFlows: [{ locations: [{ importance: "essential" }, { importance: "essential" }] }] }],
      suppressions: [],
    });
  });

  it("marks what is silenced, by a comment or by a reviewer", () => {
    const { run } = sarif([
      issue({ status: "false_positive", suppression: "test data", fingerprint: "1" }),
      issue({ status: "false_positive", suppression: null, fingerprint: "2" }),
    ]);
    expect(run.results.map((row: { suppressions: object[] }) => row.suppressions)).toEqual([
      [{ kind: "inSource", status: "accepted", justification: "test data" }],
      [{ kind: "external", status: "accepted" }],
    ]);
  });

  it("gives the same bytes for the same findings, whatever their order, ids and times", () => {
    const issues = ["c", "a", "b"].map((fingerprint, line) => issue({ fingerprint, line_number: line + 1 }));
    const again = issues
      .toReversed()
      .map((row) => ({ ...row, id: "x", task_id: "y", created_at: "2030-01-01T00:00:00Z" }));
    const later = { seconds: 99, task: task({ id: "z", started_at: "2030-01-01T00:00:00Z" }) };
    expect(sarif(again, later).text).toBe(sarif(issues).text);
    expect(sarif(issues).text).not.toMatch(/20\d\d-\d\d-\d\dT|shop/);
  });

  it("says that the run told nothing when nothing was analysed", () => {
    const nothing = task({
      total_files: 0,
      scanned_files: 0,
      warnings: [{ code: "no_scannable_files", count: 1, paths: [] }],
    });
    expect(sarif([], { task: nothing }).run.invocations).toMatchObject([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ descriptor: { id: "no_scannable_files" }, level: "warning" }],
      },
    ]);
  });

  it("stays valid and harmless with hostile text in every field", () => {
    const issues = hostile.map((value) =>
      issue({
        file_path: value,
        title: value,
        message: value,
        suggestion: value,
        code_snippet: value,
        symbol: value,
        rule_id: value,
        owasp_2021: value,
        owasp_2025: value,
        fingerprint: value,
        suppression: value,
        status: "false_positive",
        trace: [step({ file_path: value, code: value, role: value })],
      }),
    );
    const { text, log } = sarif(issues, {
      task: task({ warnings: [{ code: "paths_not_found", count: 1, paths: hostile }] }),
    });
    expect(isSarif(log)).toEqual([]);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  });

  it("encodes paths so that none is read as a scheme, query or fragment", () => {
    expect(relativeUri("a b/c#d?e%20/é/C:x.js")).toBe("a%20b/c%23d%3Fe%2520/%C3%A9/C%3Ax.js");
    expect(relativeUri("\ud800.js")).toBe("%EF%BF%BD.js");
  });

  it("lets quoted code draw no link", () => {
    expect(plain("see [here](https://evil.example), a[0]")).toBe("see [here\\](https://evil.example), a[0]");
    expect(plain("[x\\](y)")).toBe("[x\\\\\\](y)");
  });
});

/** @returns what the schema has against a log */
function sarifValidator(): (log: unknown) => string[] {
  // The schema is of draft 4. It uses nothing that draft 7 reads differently, once its own name and dialect are taken off; one of its
  // patterns is no regular expression for JavaScript's unicode mode.
  const file = join(import.meta.dirname, "../support/sarif-2.1.0.schema.json");
  const { $schema: _dialect, id: _name, ...schema } = JSON.parse(readFileSync(file, "utf8"));
  const ajv = new Ajv.default({ allErrors: true, strict: false, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (log) =>
    validate(log) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
