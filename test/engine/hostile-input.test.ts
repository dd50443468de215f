import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { analyseOne, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const statuses = ["analysed", "partial", "skipped", "failed"];
const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
const fixtures = readdirSync(rulesFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.parentPath.endsWith("fixtures"))
  .map((entry) => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

describe("a file that breaks off", () => {
  it.each(["@Path(", '@Path("/tow', "@fil", "@Path(')", "@a.B(c)("])(
    "in an annotation behind a field of Kotlin ends, after %s",
    async (end) => {
      const { coverage } = await analyseOne(engine, "a.kt", `class Towns {\n  val name = ""\n  ${end}`);
      expect(statuses).toContain(coverage.status);
    },
  );
});

describe("a grammar that gives up", () => {
  const long = "a".repeat(300);
  const source = `x = <<'${long}'\n${"y = 1\n".repeat(50)}${long}\n`;

  it("has its file read for secrets alone, and no other", async () => {
    const following = "system(params[:a])\n";
    const before = await analyseOne(engine, "b.rb", following);
    const { coverage } = await analyseOne(engine, "a.rb", source);
    expect(coverage).toMatchObject({ status: "partial", reason: "grammar_failed" });
    expect(await analyseOne(engine, "b.rb", following)).toEqual(before);
  });

  it("leaves the parser's stack as it was, however often it does", async () => {
    for (let i = 0; i < 400; i++) {
      const { coverage } = await analyseOne(engine, "a.rb", source);
      expect(coverage.reason).toBe("grammar_failed");
    }
    const { coverage } = await analyseOne(engine, "b.rb", "system(params[:a])\n");
    expect(coverage).toMatchObject({ status: "analysed", reason: null });
  });
});

describe("deep nesting", () => {
  const depth = 20_000;
  const repeat = (text: string) => text.repeat(depth);
  it.each([
    ["brackets", "a.js", `x = ${repeat("[")}${repeat("]")};`],
    ["parentheses", "a.py", `x = ${repeat("(")}1${repeat(")")}`],
    ["calls", "a.js", `${repeat("f(")}${repeat(")")};`],
    ["call chains", "a.js", `a${repeat(".b()\n")};`],
    ["blocks", "A.java", `class A { void f() { ${repeat("{")}${repeat("}")} } }`],
    ["conditions", "a.js", `${repeat("if (a)\n")}b();`],
    ["else ladders", "a.js", `if (a) b();\n${repeat("else if (a) b();\n")}`],
    ["arrow functions", "a.js", `x = ${repeat("() =>\n")}1;`],
    ["unary operators", "a.js", `x = ${repeat("!\n")}1;`],
    ["subscripts", "a.py", `x = a${repeat("[0]\n")}`],
    ["branches that are values", "a.kt", `val x = ${repeat("if (a) b else ")}c`],
    ["negated calls", "a.kt", `val x = ${repeat("!")}a${repeat(".b()")}`],
    ["annotations", "a.kt", `${repeat("@A ")}class B`],
    ["blocks that are values", "a.rs", `fn f() { ${repeat("{")}1${repeat("}")} }`],
    ["else ladders of Rust", "a.rs", `fn f() { if a { 1 } ${repeat("else if a { 1 }\n")} else { 2 } }`],
    ["macros", "a.rs", `fn f() { m!(${repeat("(")}${repeat(")")}); }`],
    ["types and patterns", "a.rs", `fn f(${repeat("Some(")}x${repeat(")")}: ${repeat("Option<")}u8${repeat(">")}) {}`],
    ["paths and imports", "a.rs", `use a::${repeat("{b::")}c${repeat("}")}; fn f() { ${repeat("a::")}b(); }`],
    ["objects", "a.ts", `x = ${repeat("{a:\n")}1${repeat("}")};`],
  ])("of %s ends with a coverage row", async (_, path, source) => {
    const { coverage } = await analyseOne(engine, path, source);
    expect(["analysed", "partial"]).toContain(coverage.status);
  });

  it("is not seen in a variable that is made of itself", async () => {
    const source = "def f(key):\n    key = key or read()\n    return 'set' if key else 'unset'\n";
    expect((await analyseOne(engine, "a.py", source)).coverage).toMatchObject({ status: "analysed", reason: null });
  });

  it("is not seen in a setting with a long name", async () => {
    const source = `if (debug${"env".repeat(30)}-a) f();\nif (x["debug${"env".repeat(35)}-"]) f();\n`;
    expect((await analyseOne(engine, "a.js", source)).coverage).toMatchObject({ status: "analysed", reason: null });
  });

  it("of switches that are asked about by switches costs no more than they are long", async () => {
    const arms = "case A a -> a;\ncase B(C(var b)) when b != null -> b;\ndefault -> o;";
    const value = Array.from({ length: 30 }).reduce<string>((of) => `switch (${of}) {\n${arms}\n}`, "o");
    const artefact = await analyseOne(engine, "A.java", `class A {\n  Object f(Object o) { return ${value}; }\n}\n`);
    expect(artefact.coverage).toMatchObject({ status: "analysed", reason: null });
  });

  it("of questions about questions costs no more than they are long", async () => {
    const test = Array.from({ length: 40 }).reduce<string>((of, _, i) => `(${of} is ${i}\nor ${i + 1})`, "x");
    const artefact = await analyseOne(engine, "A.cs", `class A {\n  bool F(int x) { return ${test}; }\n}\n`);
    expect(artefact.coverage).toMatchObject({ status: "analysed", reason: null });
  });

  it("of classes that all extend the two before them costs no more than they are many", async () => {
    const pair = (i: number) =>
      ["A", "B"].map((name) => `class ${name}${i}(A${i - 1}, B${i - 1}):\n    pass\n`).join("\n");
    const source = `class A0: pass\nclass B0: pass\n${Array.from({ length: 60 }, (_, i) => pair(i + 1)).join("")}`;
    expect((await analyseOne(engine, "a.py", source)).coverage.status).toBe("analysed");
  });

  it("of ordinary depth is no problem", async () => {
    const source = `x = ${"[".repeat(60)}${"]".repeat(60)};\ny = ${Array.from({ length: 3_000 }, (_, i) => `"a${i}"`).join(" +\n")};\n`;
    expect((await analyseOne(engine, "a.js", source)).coverage).toMatchObject({ status: "analysed", reason: null });
  });
});

describe("bytes that are not ordinary text", () => {
  const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
  it.each([
    ["nothing", new Uint8Array(), { status: "skipped", reason: "empty" }],
    ["NULs", new Uint8Array(1_000), { status: "skipped", reason: "binary" }],
    [
      "invalid UTF-8",
      Uint8Array.from([0x78, 0x20, 0x3d, 0x20, 0x22, 0xe9, 0x22, 0x0a]),
      { status: "analysed", reason: null },
    ],
    [
      "a byte order mark",
      new TextEncoder().encode("\ufeffeval(location.hash)\n"),
      { status: "analysed", reason: null },
    ],
    ["UTF-16", utf16("eval(location.hash)\n"), { status: "analysed", reason: null }],
    [
      "GB 18030",
      Uint8Array.from([0x2f, 0x2f, 0xd6, 0xd0, 0xce, 0xc4, 0x0a, 0x78, 0x3d, 0x31, 0x0a]),
      { status: "analysed", reason: null },
    ],
  ])("such as %s have their status", async (_, bytes, expected) => {
    expect((await analyseOne(engine, "a.js", bytes)).coverage).toMatchObject(expected);
  });

  it("keep columns in UTF-16 units behind characters of any width", async () => {
    const source = `const 名 = "😀"; eval(location.hash);\n`;
    const [finding] = engine.link([await analyseOne(engine, "a.js", source)]);
    expect(finding?.startColumn).toBe(source.indexOf("eval") + 1);
  });
});

describe("size", () => {
  it("of one 9 MB line leaves secrets to be found in what is read, and says so", async () => {
    const source = `x = "${"a".repeat(100_000)}"; password = "v9Kq2mXz7Lw4"; y = "${"b".repeat(9_000_000)}";`;
    const artefact = await analyseOne(engine, "a.js", source);
    expect(artefact.coverage).toMatchObject({ status: "partial", reason: "size_limit" });
    expect(artefact.candidates.map((candidate) => candidate.ruleId)).toEqual(["hardcoded-secret.assigned-value"]);
    expect(JSON.stringify(artefact)).not.toContain("v9Kq2mXz7Lw4");
  });

  it.each([
    ["minified", `eval(location.hash);${"a=1;".repeat(3_000)}`],
    ["minified", `\n//# sourceMappingURL=data:,\neval(location.hash);${"a=1;".repeat(3_000)}`],
    ["generated", `// @generated by a tool\neval(location.hash);\n`],
    [
      "generated",
      `package shop;\n@Generated("com.shop.RecordProcessor")\nclass Order {\n  void run() { eval(location.hash); }\n}\n`,
    ],
    ["generated", `/******/ (() => { // webpackBootstrap\neval(location.hash);\n})()\n`],
  ])("and look of %s code leave only secrets", async (reason, source) => {
    const artefact = await analyseOne(engine, "a.js", source);
    expect(artefact.coverage).toMatchObject({ status: "partial", reason });
    expect(artefact.candidates).toEqual([]);
  });

  it.each([
    ["a.js", `eval(location.hash);\nconst picture = "${"a".repeat(6_000)}";\n${"const a = 1;\n".repeat(1_000)}`],
    ["compiled.js", `eval(location.hash);\n//# sourceMappingURL=data:application/json;base64,${"a".repeat(90_000)}\n`],
    [
      "helped.js",
      `eval(location.hash);\nfunction _run() { ${"a = 1; ".repeat(1_000)}}\n${"const b = 1;\n".repeat(200)}`,
    ],
    ["write.py", `import sys\nMARK = "# Generated by write.py, DO NOT EDIT"\neval(sys.stdin.readline())\n`],
    ["write.js", `const mark = "// Code generated, DO NOT EDIT.";\neval(location.hash);\n`],
  ])("of data or of a mark in the code of %s leave it to be analysed", async (path, source) => {
    expect((await analyseOne(engine, path, source)).coverage.status).toBe("analysed");
  });

  it.each([
    ["backup.sh", "#!/usr/bin/env php\n<?php echo 1;\n", "php"],
    ["backup.sh", "#!/bin/sh\necho 1\n", "shell"],
    ["visits.cgi", "#!/usr/bin/python3\nprint(1)\n", "python"],
    ["visits.fcgi", "#!/bin/sh\necho 1\n", "shell"],
    ["patterns/java", "JAVALINE .*\n", "text"],
  ])("of %s tells its language: %s", async (path, source, language) => {
    expect((await analyseOne(engine, path, source)).coverage.language).toBe(language);
  });

  it("of calls that multiply ends in the budget, with what was found until then", async () => {
    const layers = Array.from(
      { length: 60 },
      (_, i) => `function f${i}(a, b) { ${`if (a) f${i + 1}([a, ${i}], { b });\n`.repeat(40)} }`,
    );
    const source = `eval(location.hash);\n${layers.join("\n")}\nf0([1], {});\n`;
    const artefact = await analyseOne(engine, "a.js", source);
    expect(["analysed", "partial"]).toContain(artefact.coverage.status);
    expect(artefact.candidates.map((candidate) => candidate.ruleId)).toContain("code-injection.tainted-code");
  });
});

describe("fixtures that were damaged", () => {
  const damaged = fc.record({
    fixture: fc.constantFrom(...fixtures),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    edits: fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
      maxLength: 12,
    }),
  });

  it("never fail, and give the same artefact twice", async () => {
    await fc.assert(
      fc.asyncProperty(damaged, async ({ fixture, cut, edits }) => {
        const bytes = Uint8Array.from(fixture.bytes.subarray(0, Math.ceil(fixture.bytes.length * cut)));
        for (const [at, value] of edits) if (bytes.length > 0) bytes[Math.floor(at * bytes.length)] = value;
        const artefact = await analyseOne(engine, fixture.name, bytes);
        expect(statuses.slice(0, 3)).toContain(artefact.coverage.status);
        expect(JSON.stringify(await analyseOne(engine, fixture.name, bytes))).toBe(JSON.stringify(artefact));
        for (const finding of engine.link([artefact]))
          expect(finding.startLine).toBeLessThanOrEqual(artefact.coverage.lines + 1);
      }),
      { numRuns: 300 },
    );
  });

  it("and random bytes never fail under any name", async () => {
    const name = fc.constantFrom(
      "a.js",
      "a.tsx",
      "a.ts",
      "a.py",
      "A.java",
      "a.txt",
      "a.go",
      "a.kt",
      "a.rs",
      "Dockerfile",
    );
    await fc.assert(
      fc.asyncProperty(name, fc.uint8Array({ maxLength: 600 }), async (path, bytes) => {
        expect(statuses.slice(0, 3)).toContain((await analyseOne(engine, path, bytes)).coverage.status);
      }),
      { numRuns: 200 },
    );
  });
});
