// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is matched has templates
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../functions/engine/engine.ts";
import type { Finding } from "../../../functions/engine/finding.ts";
import { readRuleFile } from "../../../functions/engine/match/rule-file.ts";
import type { UserPattern } from "../../../functions/engine/user-rules/user-pattern.ts";
import { openEngine } from "../engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const setOf = (pattern: string): UserPattern[] => [
  {
    code: "own",
    name: "own",
    description: null,
    category: "security",
    severity: "high",
    fixSuggestion: null,
    language: "all",
    pattern,
  },
];

/** A rule file with one rule; `body` is indented as it has to be. */
const aRule = (languages: string, body: string): string =>
  `rules:\n- id: own.rule\n  message: Found $X.\n  severity: ERROR\n  languages: [${languages}]\n${body.replace(/^/gm, "  ")}\n`;

async function found(path: string, source: string, rules: string): Promise<Finding[]> {
  const artefact = await engine.analyse({ path, bytes: new TextEncoder().encode(source) }, { patterns: setOf(rules) });
  expect(artefact.coverage).toMatchObject({ reason: null });
  return engine.link([artefact]).filter((finding) => finding.ruleId === "user.own.rule");
}

const lines = async (path: string, source: string, rules: string): Promise<number[]> =>
  (await found(path, source, rules)).map((finding) => finding.startLine);

describe("a rule of a user", () => {
  const all = `patterns:
  - pattern: $O.run($X, ...)
  - pattern-inside: |
      function $F(...) { ... }
  - pattern-not: $O.run("...", ...)
  - pattern-not-inside: |
      if ($G) { ... }
  - metavariable-regex: {metavariable: $O, regex: ^(shell|cmd)$}`;

  it("demands all that its patterns say at once", async () => {
    const source = `shell.run(a);
function f(a) {
  shell.run(a);
  shell.run("ls");
  other.run(a);
  if (a) { cmd.run(a); }
  cmd.run(a, 1);
}
`;
    expect(await lines("a.js", source, aRule("js", all))).toEqual([3, 7]);
  });

  it("tells what its file says, with what metavariables stand for", async () => {
    const rule = aRule(
      "python",
      `pattern: yaml.load($X)
fix: yaml.safe_load($X)
metadata:
  cwe: "CWE-502: Deserialization of Untrusted Data"
  owasp: ["A08:2021 - Software and Data Integrity Failures"]
  confidence: HIGH`,
    );
    const [finding, ...others] = await found("a.py", "import yaml\nyaml.load(a.b)\n", rule);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      ruleId: "user.own.rule",
      severity: "high",
      confidence: 0.9,
      cwe: [502],
      type: "deserialization",
      owasp2021: "A08",
      title: { en: "Found a.b." },
      message: { zh: "Found a.b." },
      fix: { en: "yaml.safe_load($X)" },
      startLine: 2,
      snippet: "yaml.load(a.b)",
    });
  });

  it.each([
    [
      "pattern-either",
      "pattern-either:\n  - pattern: foo($X)\n  - pattern: bar($X)",
      "foo(1)\nbar(2)\nbaz(3)\n",
      [1, 2],
    ],
    ["pattern-regex", 'pattern-regex: "TODO\\\\(\\\\w+\\\\)"', "x = 1  # TODO(me)\ny = 2\n", [1]],
    [
      "pattern-not-regex",
      "patterns:\n  - pattern-regex: foo\\w*\n  - pattern-not-regex: foobar",
      "foo\nfoobar\nfoox\n",
      [1, 3],
    ],
    [
      "focus-metavariable",
      "patterns:\n  - pattern: |\n      def $F(..., $X, ...):\n        ...\n  - focus-metavariable: $X\n  - metavariable-regex: {metavariable: $X, regex: tmp}",
      "def f(\n  a,\n  tmp_b,\n):\n  pass\n",
      [3],
    ],
    [
      "metavariable-pattern",
      "patterns:\n  - pattern: foo($X)\n  - metavariable-pattern:\n      metavariable: $X\n      patterns:\n        - pattern: $A + $B\n        - pattern-not: $A + 1",
      "foo(a + b)\nfoo(a + 1)\nfoo(c)\n",
      [1],
    ],
    [
      "metavariable-pattern with an ellipsis for anything",
      "patterns:\n  - pattern: foo($X)\n  - metavariable-pattern:\n      metavariable: $X\n      patterns:\n        - pattern: ...\n        - pattern-regex: \\.exe",
      "foo('a.exe')\nfoo('b')\n",
      [1],
    ],
    [
      "metavariable-pattern that only excludes",
      "patterns:\n  - pattern: foo($X)\n  - metavariable-pattern:\n      metavariable: $X\n      patterns:\n        - pattern-not: '\"...\"'",
      "foo(a)\nfoo('a')\n",
      [1],
    ],
    [
      "metavariable-comparison",
      "patterns:\n  - pattern: bits($X)\n  - metavariable-comparison: {metavariable: $X, comparison: $X < 2048 and $X % 2 == 0}",
      "bits(1024)\nbits(4096)\nbits(1023)\nbits(a)\n",
      [1],
    ],
    [
      "a comparison with numbers of other bases",
      "patterns:\n  - pattern: chmod($P, $M)\n  - metavariable-comparison: {comparison: $M > 0o755}",
      "chmod(a, 0o777)\nchmod(a, 0o600)\n",
      [1],
    ],
    [
      "a comparison with what a group has found",
      "patterns:\n  - pattern-regex: port = (\\d+)\n  - metavariable-comparison: {comparison: $1 < 1024}",
      "port = 80\nport = 8080\n",
      [1],
    ],
    [
      "metavariable-pattern that searches text",
      'patterns:\n  - pattern: run("$C")\n  - metavariable-pattern:\n      metavariable: $C\n      language: regex\n      pattern-regex: rm\\s+-rf',
      "run('rm -rf a')\nrun('ls')\n",
      [1],
    ],
    ["a fix that is no condition", "pattern: md5($X)\nfix-regex: {regex: md5, replacement: sha256}", "md5(a)\n", [1]],
    [
      "a constant of the file",
      'patterns:\n  - pattern: foo($X)\n  - pattern-not: foo("...")',
      "A = 'x'\nfoo(A)\nfoo(b)\n",
      [3],
    ],
    [
      "one metavariable in two patterns",
      "patterns:\n  - pattern-inside: |\n      $X = open(...)\n      ...\n  - pattern: $X.write(...)",
      "a = open(b)\na.write(1)\nc.write(2)\n",
      [2],
    ],
    [
      "inside any of several",
      "patterns:\n  - pattern-either:\n      - pattern-inside: |\n          import os\n          ...\n      - pattern-inside: |\n          import subprocess\n          ...\n  - pattern: run($X)",
      "run(1)\nimport sys, os\nrun(2)\n",
      [3],
    ],
    ["inside alone", "patterns:\n  - pattern-inside: foo(...)\n  - pattern-inside: bar(...)", "foo(bar(1))\n", []],
  ] as const)("understands %s", async (_, body, source, expected) => {
    expect(await lines("a.py", source, aRule("python", body))).toEqual(expected);
  });

  it("looks at files that its paths name", async () => {
    const rule = aRule(
      "python",
      'pattern: foo($X)\npaths:\n  include: ["src/**"]\n  exclude: ["*_test.py", "src/gen/"]',
    );
    const paths = ["src/a.py", "a/src/b/c.py", "a.py", "src/a_test.py", "src/gen/a.py"];
    const hits = await Promise.all(paths.map(async (path) => (await lines(path, "foo(1)\n", rule)).length));
    expect(hits).toEqual([1, 1, 0, 0, 0]);
  });

  it("reads any file by regular expressions", async () => {
    const rule = aRule("generic", "pattern-regex: password=\\w+");
    expect(await lines("app.conf", "a=b\npassword=abc\n", rule)).toEqual([2]);
  });

  it("is silenced by a comment that gives a reason", async () => {
    const source = "# audit-ignore: user.own.rule known\nfoo(1)\n";
    const [finding] = await found("a.py", source, aRule("python", "pattern: foo($X)"));
    expect(finding?.suppressed).toEqual({ reason: "known" });
  });
});

describe("a taint rule of a user", () => {
  const body = `mode: taint
pattern-sources:
  - pattern: read_input(...)
  - patterns:
      - pattern: |
          def $F(..., $P, ...):
            ...
      - focus-metavariable: $P
      - metavariable-regex: {metavariable: $P, regex: untrusted}
pattern-sanitizers:
  - pattern: quoted(...)
pattern-sinks:
  - patterns:
      - pattern: launch($X, ...)
      - focus-metavariable: $X`;

  it("follows values from sources to sinks, through variables, functions and branches", async () => {
    const source = `def wrap(v):
    return "a" + v

def send(c):
    launch(c)

a = read_input()
launch(wrap(a))
send(a)
launch(quoted(a))
launch("b")
launch("b", a)
def handler(untrusted):
    launch(untrusted.name)
def other(c):
    launch(c)
`;
    const findings = await found("a.py", source, aRule("python", body));
    expect(findings.map((finding) => finding.startLine)).toEqual([5, 8, 14]);
    expect(findings.map((finding) => finding.trace[0]?.startLine)).toEqual([7, 7, 13]);
  });

  it.each([
    ["a.js", "js", "const a = read(); run(`x ${a}`); run(clean(a)); run('x');\n"],
    ["A.java", "java", 'class A { void f() { String a = read(); run("x" + a); run(clean(a)); run("x"); } }\n'],
    ["a.php", "php", "<?php $a = read(); run('x' . $a); run(clean($a)); run('x');\n"],
    ["a.go", "go", 'package p\nfunc f() {\n\ta := read()\n\trun("x" + a)\n}\nfunc g() {\n\trun(clean(read()))\n}\n'],
  ])("works in %s", async (path, language, source) => {
    const rule = aRule(
      language,
      "mode: taint\npattern-sources: [{pattern: read()}]\npattern-sinks: [{pattern: run(...)}]\npattern-sanitizers: [{pattern: clean(...)}]",
    );
    expect(await found(path, source, rule)).toHaveLength(1);
  });
});

describe("a source of a user", () => {
  const rule = (language: string, source: string) =>
    aRule(language, `mode: taint\npattern-sources: [{pattern: ${source}}]\npattern-sinks: [{pattern: run(...)}]`);

  it.each([
    ["a.php", "php", "$_GET", "<?php\nrun($_GET['a']);\nrun($other['a']);\n", [2]],
    ["a.js", "js", "options", "run(options[0]);\nrun(other[0]);\n", [1]],
    [
      "a.go",
      "go",
      '"($R : *http.Request).URL"',
      'package p\nimport "net/http"\nfunc f(r *http.Request) {\n\tq := r.URL.Query().Get("x")\n\trun(q)\n}\n',
      [5],
    ],
  ] as const)("is in all that is read of it: %s", async (path, language, source, code, expected) => {
    expect(await lines(path, code, rule(language, source))).toEqual(expected);
  });
});

describe("a rule file", () => {
  it.each([
    ["an unknown key", "pattern: a\nr2c-internal: x", "r2c-internal", 7],
    ["an unknown operator", "patterns:\n  - pattern: a\n  - pattern-where-python: x", "pattern-where-python", 8],
    [
      "propagators",
      "mode: taint\npattern-sources: [{pattern: a}]\npattern-sinks: [{pattern: b}]\npattern-propagators: []",
      "pattern-propagators",
      9,
    ],
    [
      "labels",
      "mode: taint\npattern-sources:\n  - pattern: a\n    label: A\npattern-sinks: [{pattern: b}]",
      "label",
      9,
    ],
    ["look-around", "pattern-regex: (?=a)b", "pattern-regex", 6],
    [
      "code of another language in a text",
      "patterns:\n  - pattern: f($X)\n  - metavariable-pattern: {metavariable: $X, language: bash, pattern: rm}",
      "language",
      8,
    ],
    ["another mode", "mode: extract\npattern: a", "mode", 6],
    [
      "an option that changes what is found",
      "pattern: a\noptions:\n  generic_ellipsis_max_span: 1",
      "generic_ellipsis_max_span",
      8,
    ],
    ["two operators side by side", "pattern: a\npattern-regex: b", "pattern-regex", 7],
    ["conditions that nothing matches for", "patterns:\n  - pattern-not: a", "patterns", 7],
    [
      "a comparison in more of Python",
      "patterns:\n  - pattern: f($X)\n  - metavariable-comparison: {comparison: \"re.match('a')\"}",
      "comparison",
      8,
    ],
  ])("with %s refuses that rule by key and line", (_, body, key, line) => {
    const { rules, refused } = readRuleFile(
      `${aRule("python", body)}- id: good\n  message: m\n  severity: INFO\n  languages: [python]\n  pattern: a\n`,
    );
    expect(rules.map((rule) => rule.id)).toEqual(["good"]);
    expect(refused).toMatchObject([{ id: "own.rule", key, line }]);
  });

  it.each([
    ["no YAML", "rules: [", 1],
    ["no list of rules", "rule: x", 1],
    ["aliases that multiply", `a: &a [x,x]\nrules:\n- &b {id: [*a,*a]}`, 3],
  ])("that is %s is refused as a whole or where it is wrong", (_, text, line) => {
    const { rules, refused } = readRuleFile(text);
    expect(rules).toEqual([]);
    expect(refused).toMatchObject([{ line }]);
  });

  it("whose pattern is no code makes the file partly analysed, and the other rules run", async () => {
    const file = `${aRule("python", "pattern: 'def ('")}- id: good\n  message: m\n  severity: INFO\n  languages: [python]\n  pattern: a()\n`;
    const artefact = await engine.analyse({ path: "a.py", bytes: Buffer.from("a()\n") }, { patterns: setOf(file) });
    expect(artefact.coverage.reason).toBe("pattern_invalid");
    expect(engine.link([artefact]).map((finding) => finding.ruleId)).toEqual(["user.good"]);
  });
});

describe("a hostile rule", () => {
  const deep = `${"f(".repeat(2_000)}1${")".repeat(2_000)}`;

  it.each([
    ["nesting", aRule("python", `pattern: ${deep}`)],
    [
      "operators in operators",
      aRule(
        "python",
        `${Array.from({ length: 30 }, (_, i) => `${"  ".repeat(i)}${i ? "- " : ""}patterns:\n`).join("")}`,
      ),
    ],
    ["too many alternatives", aRule("python", `pattern-either:\n${"  - pattern: a\n".repeat(600)}`)],
    ["an endless pattern", aRule("python", `pattern: ${"x".repeat(20_000)}`)],
  ])("with %s is refused", async (_, file) => {
    const artefact = await engine.analyse({ path: "a.py", bytes: Buffer.from("a\n") }, { patterns: setOf(file) });
    expect(artefact.coverage.reason).toBe("pattern_invalid");
  });

  it.each([
    ["ellipses", "f(..., $A, ..., $B, ..., $C, ..., $D, ..., $E, ..., $F, ..., 0)", `f(${"1, ".repeat(200)}2)\n`],
    [
      "deep expressions in each other",
      "<... f(<... g(<... $X + $X ...>) ...>) ...>",
      `f(${"g(".repeat(150)}${"1 * 2, ".repeat(150)}3${")".repeat(150)})\n`,
    ],
    [
      "statements",
      "$A\n...\n$B\n...\n$C\n...\n$D\n...\nnever()",
      `${"x = 1\n".repeat(300)}if 0:\n  never\n  never(1)\n`,
    ],
  ])("that tries all ways through %s ends by its budget", async (_, pattern, source) => {
    const file = aRule("python", `pattern: |\n  ${pattern.replaceAll("\n", "\n  ")}`);
    const artefact = await engine.analyse({ path: "a.py", bytes: Buffer.from(source) }, { patterns: setOf(file) });
    expect(artefact.coverage.reason).toBe("pattern_budget");
  });
});
