import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SluiceError } from "../../functions/platform/errors.ts";
import { builtInExclusions, compileExclusions } from "../../functions/sources/exclusions.ts";
import { finishesWithin, globLimits } from "../../functions/sources/glob-guard.ts";

const excluded = (patterns: string[], paths: string[]) => {
  const verdicts = compileExclusions(patterns)(paths);
  return paths.filter((_, index) => verdicts[index] !== null);
};

describe("the built-in exclusions", () => {
  it.each([
    ["node_modules/a.js", "packages/x/node_modules/y/a.js", "a/vendor/b.php", "dist/a.js", "build/a.js", ".git/config"],
    ["a/__pycache__/b.py", ".pytest_cache/a", "coverage/a.js", ".nyc_output/a", ".vscode/a.json", ".idea/a", ".vs/a"],
    ["target/A.java", "out/a.js", "__MACOSX/._a.js", ".DS_Store", "a/.DS_Store", "package-lock.json", "a/yarn.lock"],
    [
      "venv/lib/a.py",
      ".venv/a.py",
      "lib/python3.14/site-packages/flask/app.py",
      ".tox/py/a.py",
      "bower_components/a.js",
    ],
    [".next/server/a.js", ".nuxt/a.js", ".svelte-kit/a.js", ".build/debug/a.c", ".gradle/a", ".terraform/modules/a.tf"],
    ["pnpm-lock.yaml", "lib/a.min.js", "a.min.css", "a.js.map"],
  ])("cover %s and what follows", (...paths) => {
    expect(excluded([], paths)).toEqual(paths);
  });

  it("are named, and so is the first pattern that excludes a path", () => {
    const paths = ["a/vendor/b.php", "yarn.lock", "lib/a.min.js", "logs/a.log", "src/a.js"];
    const excludedBy = ["vendor/", "yarn.lock", "*.min.js", "*.log", null];
    expect(compileExclusions(["*.log", "logs/**", "vendor"])(paths)).toEqual(excludedBy);
  });

  it("match whole names, not parts of them", () => {
    const paths = [
      "layout/a.js",
      "about/a.js",
      "rebuild/a.js",
      "my-dist/a.js",
      "distribution/a.js",
      ".github/workflows/a.yml",
      "src/build.js",
      "src/out.py",
      "target",
      "map.js",
      "roadmap/a.js",
      "min.js",
      "package-lock.json.js",
    ];
    expect(excluded([], paths)).toEqual([]);
  });

  it("are listed as rules a reader understands", () => {
    for (const rule of builtInExclusions) expect(rule).toMatch(/^(?:\*[\w.]+|[\w.-]+\/?)$/);
  });
});

describe("a pattern of the user", () => {
  const paths = [
    "a.log",
    "docs/guide/a.js",
    "src/.hidden.js",
    "src/a.js",
    "src/a.test.js",
    "src/docs/b.js",
    "src/docs.js",
    "src/lib/a.js",
    "src/lib/deep/c.js",
    "tests/a.py",
  ];
  it.each([
    ["a plain name: files and folders anywhere", "docs", ["docs/guide/a.js", "src/docs/b.js"]],
    ["a plain file name", "a.js", ["docs/guide/a.js", "src/a.js", "src/lib/a.js"]],
    ["a glob without a slash: names anywhere", "*.log", ["a.log"]],
    ["a glob for folder names", "do?s", ["docs/guide/a.js", "src/docs/b.js"]],
    ["a folder by a trailing slash", "docs/", ["docs/guide/a.js", "src/docs/b.js"]],
    ["a name that is a file, asked for as a folder", "a.log/", []],
    ["from the top by a leading slash", "/docs", ["docs/guide/a.js"]],
    ["from the top by a dot", "./docs", ["docs/guide/a.js"]],
    ["a plain path and what lies below", "src/lib", ["src/lib/a.js", "src/lib/deep/c.js"]],
    ["a star within one folder", "src/*.js", ["src/.hidden.js", "src/a.js", "src/a.test.js", "src/docs.js"]],
    ["a globstar at the end", "src/**", paths.filter((path) => path.startsWith("src/"))],
    ["a globstar in front", "**/*.test.js", ["src/a.test.js"]],
    ["a globstar in front of a plain name", "**/docs", ["docs/guide/a.js", "src/docs/b.js"]],
    ["a globstar in the middle", "src/**/c.js", ["src/lib/deep/c.js"]],
    ["alternatives", "{docs,tests}/**", ["docs/guide/a.js", "tests/a.py"]],
    ["a character class", "src/[a-b].js", ["src/a.js"]],
    ["a negated character class", "src/li[!x]/a.js", ["src/lib/a.js"]],
    ["backslashes", "src\\lib\\**", ["src/lib/a.js", "src/lib/deep/c.js"]],
    ["blanks around", "  *.log ", ["a.log"]],
    ["nothing", "   ", []],
    ["names with characters of regular expressions", "src/a.t$st.js", []],
  ])("means %s", (_, pattern, expected) => {
    expect(excluded([pattern], paths)).toEqual(expected);
  });

  it("adds to the built-in ones and to each other", () => {
    expect(excluded(["*.log", "docs"], ["node_modules/a.js", ...paths])).toEqual([
      "node_modules/a.js",
      "a.log",
      "docs/guide/a.js",
      "src/docs/b.js",
    ]);
  });

  it("is applied to every block of a large tree", () => {
    const many = Array.from({ length: globLimits.blockPaths * 2 + 5 }, (_, n) => `src/${n}.${n % 2 ? "log" : "js"}`);
    expect(excluded(["*.log"], many)).toEqual(many.filter((path) => path.endsWith(".log")));
  });
});

describe("the guard", () => {
  it.each([
    ["glob_too_long", "a".repeat(257)],
    ["glob_wildcards", "*a*a*a*a*b"],
    ["glob_wildcards", `${"*?".repeat(14)}b`],
    ["glob_wildcards", `**/${"a/**/".repeat(10)}b`],
    ["glob_braces", "{a,{b,c}}"],
    ["glob_braces", "{a,b"],
    ["glob_braces", "a}b"],
    ["glob_braces", "{1..1000000}"],
    ["glob_braces", `{${"a,".repeat(16)}a}`],
    ["glob_braces", `${"{a,b}".repeat(9)}`],
    ["glob_syntax", "(a+)+b"],
    ["glob_syntax", "+(a|b)"],
    ["glob_syntax", "!(a)"],
    ["glob_syntax", "a|b"],
    ["glob_syntax", "!src/**"],
    ["glob_syntax", "[[:alpha:]]*1"],
    ["glob_syntax", "[ab]+[ab]+c"],
    ["glob_syntax", "{a,b}+c"],
    ["glob_syntax", "[z-a]"],
    ["glob_syntax", "a\0b"],
  ])("refuses with %s: %s", (code, pattern) => {
    expect(() => compileExclusions([pattern])).toThrow(expect.objectContaining({ code, status: 422 }));
  });

  it("refuses the fifty-first pattern", () => {
    const patterns = Array.from({ length: 51 }, (_, n) => `${n}.js`);
    expect(() => compileExclusions(patterns)).toThrow(expect.objectContaining({ code: "glob_too_many" }));
    expect(excluded(patterns.slice(1), ["50.js", "0.js"])).toEqual(["50.js"]);
  });

  it("accepts what sits right on the limits", () => {
    for (const pattern of ["*a*a*a*b", "**/a/**/b/**/c/**", `{${"a,".repeat(15)}a}`, "a".repeat(256)])
      expect(() => compileExclusions([pattern])).not.toThrow();
  });
});

describe("the time budget", () => {
  it.each([
    ["*a*a*a*b", "a".repeat(250)],
    ["**/a/**/a/**/a/**/b", `${"a/".repeat(200)}a`],
    [`${Array(10).fill("*a*a*a*").join("/")}b`, Array(10).fill("a".repeat(100)).join("/")],
  ])("stops %s on hostile paths, which would run for minutes", (pattern, path) => {
    const exclude = compileExclusions([pattern]);
    const paths = Array.from({ length: globLimits.blockPaths }, () => path);
    expect(() => exclude(paths)).toThrow(expect.objectContaining({ code: "glob_too_expensive", status: 422 }));
  });

  it("holds for all patterns and calls of a request together", () => {
    const exclude = compileExclusions(["*a*a*a*b", "*a*a*a*c"], 100);
    const untilRefused = () => {
      for (let round = 0; round < 1_000_000; round++) exclude(["a".repeat(60)]);
    };
    expect(untilRefused).toThrow(expect.objectContaining({ code: "glob_too_expensive" }));
  });

  it("lets an error of the work through and stays usable", () => {
    const failure = new Error("mine");
    const fails = () =>
      finishesWithin(200, () => {
        throw failure;
      });
    expect(fails).toThrow(failure);
    expect(finishesWithin(1000, () => undefined)).toBe(true);
  });

  const token = fc.constantFrom(
    "*",
    "**",
    "/",
    "a",
    "b",
    "?",
    "[ab]",
    "[!a]",
    ".",
    "{a,b}",
    "**/",
    "a*",
    "-",
    "+",
    "@",
    "\\",
    "[",
    "]",
    "!",
    "$",
    "^",
  );
  const pattern = fc.oneof(
    fc.array(token, { minLength: 1, maxLength: 40 }).map((tokens) => tokens.join("")),
    fc.string({ unit: "grapheme", maxLength: 40 }),
  );
  const hostilePath = fc
    .tuple(fc.constantFrom("a", "a/", "ab", "a.", "/a", "aa/b"), fc.integer({ min: 1, max: 120 }))
    .map(([unit, times]) => unit.repeat(times).replace(/^\/+|\/+$/g, ""));
  const ordinary = Array.from({ length: 1990 }, (_, n) => `packages/p${n % 31}/src/module-${n % 7}/file${n}.test.ts`);

  /** Without the timer a single pattern of this kind can hold the thread for hours, so coming to an end at all is what is tested. */
  it("makes any pattern answer or be refused, on ordinary and hostile paths", () => {
    fc.assert(
      fc.property(pattern, fc.array(hostilePath, { maxLength: 10 }), (given, hostile) => {
        try {
          const paths = [...ordinary, ...hostile];
          expect(compileExclusions([given])(paths)).toHaveLength(paths.length);
        } catch (error) {
          if (!(error instanceof SluiceError && error.code.startsWith("glob_"))) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
