import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../functions/engine/config/config-document.ts";
import { configFormatOf } from "../../functions/engine/config/config-format.ts";
import type { ConfigNode } from "../../functions/engine/config/config-node.ts";
import { boundName, readMapper } from "../../functions/engine/config/mapper-reader.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { Suppressions } from "../../functions/engine/findings/suppression.ts";
import { languageOf } from "../../functions/engine/inventory/language.ts";
import { LineIndex } from "../../functions/engine/inventory/line-index.ts";
import { isRuleFile, readRuleFile, splitRuleFile } from "../../functions/engine/match/rule-file.ts";
import { grammarNames } from "../../functions/engine/parse/parser.ts";
import { isPlaceholder } from "../../functions/engine/secrets/placeholder.ts";
import { privateKeys } from "../../functions/engine/secrets/private-keys.ts";
import { templateFormatOf } from "../../functions/engine/templates/template-format.ts";
import { analyseOne, findingsOfAll, openEngine } from "./engine-under-test.ts";
import { hostilePaths, nastyTokens, pathOfConfig, pathOfGrammar, pathOfTemplate } from "./hostile-sources.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
const fixtures = readdirSync(rulesFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.parentPath.endsWith("fixtures"))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();

/** Real source that is read as this file would be, or any where there is none. */
function sourcesLike(path: string): string[] {
  const kindOf = (name: string) => `${languageOf(name).grammar} ${templateFormatOf(name)} ${configFormatOf(name)}`;
  const alike = fixtures.filter((name) => kindOf(name) === kindOf(path) || extname(name) === extname(path));
  return (alike.length > 0 ? alike : fixtures).slice(0, 60).map((name) => readFileSync(name, "utf8"));
}

describe("the files that are tried", () => {
  it("are of every language that is parsed", () => {
    expect(Object.keys(pathOfGrammar).sort()).toEqual([...grammarNames].sort());
    for (const [grammar, path] of Object.entries(pathOfGrammar)) expect(languageOf(path).grammar).toBe(grammar);
  });

  it("are of every format of configuration and of templates", () => {
    for (const [format, path] of Object.entries(pathOfConfig)) expect(configFormatOf(path)).toBe(format);
    for (const [format, path] of Object.entries(pathOfTemplate))
      expect(templateFormatOf(path)).toBe(format === "thymeleaf" ? "html" : format);
  });
});

/** Pieces of real source between what makes readers stumble. */
const hostileText = (path: string): fc.Arbitrary<string> => {
  const piece = fc
    .record({
      source: fc.constantFrom(...sourcesLike(path)),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.integer({ min: 0, max: 400 }),
    })
    .map(({ source, from, length }) => source.slice(Math.floor(from * source.length)).slice(0, length));
  const token = fc
    .record({ token: fc.constantFrom(...nastyTokens), times: fc.constantFrom(1, 1, 2, 40) })
    .map(({ token, times }) => token.repeat(times));
  return fc.array(fc.oneof(piece, token), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(""));
};

describe.each(hostilePaths)("whatever stands in %s", (path) => {
  it("ends with a coverage row, the same each time, and places inside the file", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText(path), async (source) => {
        const artefact = await analyseOne(engine, path, source);
        expect(["analysed", "partial", "skipped"]).toContain(artefact.coverage.status);
        expect(await analyseOne(engine, path, source)).toEqual(artefact);
        const lines = new LineIndex(source);
        for (const { startLine, startColumn, endLine, endColumn } of engine.link([artefact])) {
          expect(lines.startOf(startLine) + startColumn).toBeLessThanOrEqual(lines.startOf(endLine) + endColumn);
          expect(lines.startOf(endLine) + endColumn - 1).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 5 },
    );
  });
});

/** Each of these has taken minutes, by looking for the end of something from every place where it may begin. */
describe("a long row of", () => {
  const characters = 350_000;
  const row = (token: string) => token.repeat(Math.ceil(characters / token.length));
  const numbered = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("");
  const lib = 'const lib = require("./lib");\n';
  it.each([
    ["comments that nothing closes, in XML", "xml", `<web-app>${row("<!--")}`],
    ["character data that nothing closes", "xml", `<web-app>${row("<![CDATA[")}`],
    ["tags that nothing closes", "xml", `<web-app>${row("<a ")}`],
    ["attribute names without values", "xml", `<web-app><a ${row("a")}>`],
    ["statements that nothing closes, in a mapper", "xml", `<mapper namespace='a'>${row("<select>")}`],
    ["comments that nothing closes, in JSON", "json", `"services": ${row("/*")}`],
    ["comments that nothing closes, in Terraform", "terraform", row("/* a\n")],
    ["documents in Terraform", "terraform", row("a = <<A\n{}\nA\n")],
    ["templates that nothing closes, in YAML", "yaml", `apiVersion: v1\nkind: {{ a }}\n${row("{{\n")}`],
    ["empty lines, in a server's file", "nginx", row("\n")],
    ["defaults in defaults", "dockerfile", `FROM a\nENV ${row("${A:-")}`],
    ["stages", "dockerfile", row("FROM a\n")],
    ["keys of their own", "properties", numbered(characters / 8, (i) => `k${i}.x=1\n`)],
    ["spaces before a comment", "dotenv", `A=b${row(" ")}c\n`],
    ["spaces before a comment, in INI", "ini", `A=b${row(" ")}c\n`],
  ] as const)("%s is read to its end", (_, format, text) => {
    try {
      expect(readConfig(format, text).documents).toBeInstanceOf(Array);
    } catch (error) {
      expect((error as Error).message).toMatch(/^too many/);
    }
  });

  it.each([
    ["outputs that open blocks", "a.erb", `<%= ${"do % ".repeat(1_000)}%>\n`.repeat(60)],
    ["keys", "a.properties", numbered(120_000, (i) => `k${i}=1\n`)],
    ["arguments for a function of another file", "a.js", `${lib}const a = {};\nlib.f(${"a,\n".repeat(60_000)});`],
    [
      "parameters of a function that another file calls back",
      "a.js",
      `${lib}lib.f(${"a,\n".repeat(40_000)}(${Array.from({ length: 4_000 }, (_, i) => `p${i}`)}) => 0);`,
    ],
    ["variables of one declaration", "a.c", `int f(void) {\n  int ${numbered(40_000, (i) => `a${i},\n`)} z;\n}\n`],
    [
      "words before a variable",
      "a.c",
      `int f(int n) {\n${row("static\n")} int z;\n${numbered(40, (i) => `  char *q${i} = malloc(n);\n`)}}\n`,
    ],
    [
      "arms that yield twice, within each other",
      "A.java",
      `class A { int f(int x) { return\n${"switch (x) {\ncase 1 -> { g(\n".repeat(40)}1${"\n); yield 1; yield 2; }\ndefault -> 3; }".repeat(40)}; } }\n`,
    ],
    [
      "zeros in a format of Python",
      "a.py",
      `def f(x):\n    return ("%"\n${row(`    "${"0".repeat(40)}"\n`)}    "?" % x)\n`,
    ],
    [
      "zeros in a format of C",
      "a.c",
      `void f(char *x) {\n  char b[9];\n  sprintf(b, "%"\n${row(`    "${"0".repeat(40)}"\n`)}    "?", x);\n}\n`,
    ],
    [
      "sets of characters in a format of C",
      "a.c",
      `void f(char *x) {\n  char b[9];\n  sscanf(x, "%[a"\n${row(`    "${"%[aaaaaa".repeat(5)}"\n`)}    "?", b);\n}\n`,
    ],
    [
      "types before a number that is asked for on one side, in C",
      "a.c",
      `int main(int n, char **v) {\n  int b[9];\n  int i = atoi(v[1]);\n  /* ${row("unsigned\n")} */\n  if (i < 9) b[i] = 1;\n}\n`,
    ],
    [
      "numbers that are set again and again, in C",
      "a.c",
      `int main(int n, char **v) {\n  int b[9];\n  int i = atoi(v[1]);\n  /* ${row("i =\n")} */\n  if (i < 9) b[i] = 1;\n}\n`,
    ],
    ["names that nobody closes, in PHP", "a.php", `<?php\n$x = "${row("defined(\n")}"; echo $_POST["a"];`],
    ["blanks in a statement of SQL", "a.php", `<?php $q = "insert into t (${row("   \n")}";\n`],
    [
      "packages whose folders have dashes",
      "a.go",
      `package a\n${numbered(15_000, (i) => `import "x${i}/a${i}-b${i}-c${i}"\n`)}`,
    ],
    [
      "maps that are spread behind keys",
      "a.js",
      `const a = {\n${numbered(6_000, (i) => `k${i}: f(x${i}),\n`)}${numbered(6_000, (i) => `...y${i},\n`)}};\n`,
    ],
    [
      "ways of a choice in a machine of states",
      "a.js",
      `function f(z) { return __generator(this, function (_a) { switch (_a.label) { case 0: switch (z) {\n${numbered(3_000, (i) => `case ${i}: return [3, ${i + 1}];\n`)}} return [3, 1];\n${numbered(3_000, (i) => `case ${i + 1}: g(${i}); return [3, 3001];\n`)}case 3001: return [2]; } }); } // __awaiter\n`,
    ],
    [
      "parts of a machine of states that may throw",
      "a.js",
      `function f() { return __generator(this, function (_a) { switch (_a.label) {\n${numbered(12_000, (i) => `case ${i}: _a.trys.push([${i}, ${11_999 - (i % 50)}, , 11999]);\n`)}} }); } // __awaiter\n`,
    ],
    [
      "inputs, each with its output",
      "a.php",
      `<?php\n${numbered(10_000, (i) => `$o->$n = $_GET['a${i}'];\necho $o->b${i}();\n`)}`,
    ],
  ])("%s is analysed", async (_, path, text) => {
    expect(["analysed", "partial"]).toContain((await analyseOne(engine, path, text)).coverage.status);
  });

  it("empty lines before a rule file, headers in a key, spaces in a reason, and marks in a value are, too", () => {
    expect(isRuleFile(`${row("\n")}x`)).toBe(false);
    expect(isRuleFile(`${row("\n")}# a\n---\nrules:`)).toBe(true);
    expect(privateKeys(`-----BEGIN PRIVATE KEY-----\n${row("Abcd: ")}`)).toEqual([]);
    const comment = `/* audit-ignore: a.b c${row(" ")}d */`;
    const lines = new LineIndex(comment);
    expect(new Suppressions(comment, [{ start: 0, end: comment.length }], lines).of("a.b", 2)?.reason).toMatch(
      /^c +d$/,
    );
    expect(isPlaceholder(`v9K${row("<")}`)).toBe(false);
  });
});

it.each([
  ["a.php", "<?php\n$user = $user ?? null;\nif (!$user) { note(); }\necho $user;\n"],
  ["a.php", "<?php\n$a = $b ?? 1;\n$b = $a ?? 2;\nif (!$a) { note(); }\nif (empty($b)) { exit; }\n"],
  ["a.js", "function f(a, b) {\n  a = b ?? 1;\n  b = a ?? 2;\n  if (!a) return;\n  if (b === null) return;\n}\n"],
  [
    "a.py",
    "def f(a, b):\n    a = b or 1\n    b = a or 2\n    if not a:\n        return\n    if b is None:\n        return\n",
  ],
  ["a.rb", "def f(a, b)\n  a = b || 1\n  b = a || 2\n  return unless a\n  return if b.nil?\nend\n"],
])("variables that are made of each other are followed no further than once, in %s", async (path, text) => {
  expect((await analyseOne(engine, path, text)).coverage.status).toBe("analysed");
});

// It took half a minute: each name leads through the tables of five others, and on.
it("files whose tables, classes and defaults are all made of each other are linked", async () => {
  const count = 120;
  const nearby = (i: number) => Array.from({ length: 5 }, (_, n) => (i + n + 1) % count);
  const files = Array.from({ length: count }, (_, i) => {
    const spread = nearby(i).map((n) => `...t${n}, e${n}: t${n}`);
    return {
      path: `f${i}.js`,
      source: [
        ...nearby(i).map((n) => `import { t${n} } from "./f${n}";\nimport d${n} from "./f${n}";`),
        `export const t${i} = { ${spread.join(", ")} };\nexport default { ${spread.join(", ")} };`,
        `export class C${i} extends d${(i + 1) % count}.C${(i + 1) % count} { go(x) { this.hook(x); super.go(x); } }`,
        "export function h(req) {\n  const x = req.query.x;",
        ...nearby(i).map((n) => `  t${n}[x](x); d${n}[x](x); t${n}.get(x).run(x);`),
        `  new C${i}().go(x);\n}\n`,
      ].join("\n"),
    };
  });
  expect(await findingsOfAll(engine, files)).toEqual([]);
});

it("a slice with more parts than there are is read, in a.py", async () => {
  const source = "y = x[:: # a: b: c\n  :2]\nz = x[a:[]b:c:\n{d};:\n:e]\n";
  expect(["analysed", "partial"]).toContain((await analyseOne(engine, "a.py", source)).coverage.status);
});

describe("a rule file", () => {
  const words = [
    "rules:\n",
    "- id: a\n",
    "  pattern: ",
    "  patterns:\n",
    "  - pattern-either:\n",
    "  - pattern-not: ",
    "  message: m\n",
  ];
  const more = [
    "  languages: [python]\n",
    "  severity: ERROR\n",
    "    - metavariable-regex: {metavariable: $X, regex: '",
    "$X",
    "...",
    "}",
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...words, ...more), fc.constantFrom(...nastyTokens)), { maxLength: 30 })
    .map((parts) => parts.join(""));

  it("of any content is read or refused, with a line for every refusal", async () => {
    await fc.assert(
      fc.property(text, (content) => {
        for (const { line, reason } of readRuleFile(content).refused) {
          expect(line).toBeGreaterThan(0);
          expect(reason).not.toBe("");
        }
        expect(splitRuleFile(content).length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  const rule = (body: string) => `rules:\n- id: a\n  message: m\n  severity: ERROR\n  languages: [python]\n${body}`;
  it.each([
    ["a huge pattern", rule(`  pattern: ${"f(".repeat(20_000)}$X${")".repeat(20_000)}\n`)],
    [
      "patterns in patterns",
      rule(`  patterns:\n${Array.from({ length: 80 }, (_, i) => `${"  ".repeat(i + 1)}- patterns:\n`).join("")}`),
    ],
    ["thousands of alternatives", rule(`  pattern-either:\n${"  - pattern: f($X)\n".repeat(3_000)}`)],
    ["aliases of aliases", rule(`  metadata: &a [${"*a, ".repeat(2_000)}]\n  pattern: f($X)\n`)],
    ["rules without end", `rules:\n${"- id: a\n".repeat(5_000)}`],
  ])("of %s is refused and says why", (_, content) => {
    const { rules, refused } = readRuleFile(content);
    expect(rules.length).toBeLessThanOrEqual(1);
    if (rules.length === 0) expect(refused[0]?.reason).toBeTruthy();
  });
});

it.each([
  ["loops that never end", `<mapper namespace="shop.A">`, "<foreach\n ".repeat(50_000), "shop.A.f"],
  ["mappers that never end", `<sqlMap>${"<mapper\n ".repeat(50_000)}`, "", null],
])("reads a mapper with %s", (_, begin, inner, method) => {
  const [root] = readMapper(`${begin}\n<select id="f">SELECT \${x} ${inner}</select>`);
  const statement = root?.entries.find(({ key }) => key === "select");
  expect(boundName(statement as ConfigNode, `\${x}`)).toEqual(method === null ? null : { method, name: "x" });
});
