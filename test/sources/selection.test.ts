import { describe, expect, it } from "vitest";
import type { ManifestFile } from "../../functions/sources/archive/manifest.ts";
import { isSupported, languageOf, supportedExtensions } from "../../functions/sources/language.ts";
import { type Selection, selectFiles, sourceBytesMax } from "../../functions/sources/selection.ts";

const file = (path: string, more: Partial<ManifestFile> = {}): ManifestFile => ({
  path,
  bytes: 10,
  sha256: "0".repeat(64),
  index: 0,
  binary: false,
  ...more,
});

const files = [
  file("LICENSE"),
  file("node_modules/x/a.js"),
  file("src/a.js"),
  file("src/b.py"),
  file("src/blob.js", { binary: true }),
  file("src/edge.js", { bytes: sourceBytesMax }),
  file("src/empty.js", { bytes: 0 }),
  file("src/huge.js", { bytes: sourceBytesMax + 1 }),
];

const paths = (selection: Selection) => selectFiles(files, selection).accepted.map(({ path }) => path);

describe("the selection", () => {
  it("accepts what can be scanned and says why it skips the rest", () => {
    const { accepted, skipped, missing } = selectFiles(files, {});
    expect(accepted.map(({ path }) => path)).toEqual(["src/a.js", "src/b.py", "src/edge.js"]);
    expect(skipped).toEqual([
      { path: "LICENSE", reason: "unsupported_type" },
      { path: "node_modules/x/a.js", reason: "excluded", excludedBy: "node_modules/" },
      { path: "src/blob.js", reason: "binary" },
      { path: "src/empty.js", reason: "empty" },
      { path: "src/huge.js", reason: "too_large" },
    ]);
    expect(missing).toEqual([]);
  });

  it("covers only the files asked for, however their paths are written", () => {
    expect(paths({ filePaths: ["src\\a.js", "./src//b.py"] })).toEqual(["src/a.js", "src/b.py"]);
    const { skipped } = selectFiles(files, { filePaths: ["src/a.js"] });
    expect(skipped).toContainEqual({ path: "src/b.py", reason: "not_selected" });
    expect(skipped).toHaveLength(files.length - 1);
  });

  it("takes paths as they stand in the archive, with the folder that all of it lies in", () => {
    expect(paths({ filePaths: ["shop/src/a.js", "shop\\src\\b.py"], root: "shop" })).toEqual(["src/a.js", "src/b.py"]);
    expect(selectFiles([file("src/a.js"), file("a.js")], { filePaths: ["src/a.js"], root: "src" }).accepted).toEqual([
      file("src/a.js"),
    ]);
    expect(selectFiles(files, { filePaths: ["shop/gone.js"], root: "shop" }).missing).toEqual(["shop/gone.js"]);
  });

  it("still skips an excluded file that was asked for", () => {
    const { accepted, skipped } = selectFiles(files, {
      filePaths: ["node_modules/x/a.js", "src/a.js", "src/b.py"],
      excludePatterns: ["*.py"],
    });
    expect(accepted.map(({ path }) => path)).toEqual(["src/a.js"]);
    expect(skipped).toContainEqual({ path: "node_modules/x/a.js", reason: "excluded", excludedBy: "node_modules/" });
    expect(skipped).toContainEqual({ path: "src/b.py", reason: "excluded", excludedBy: "*.py" });
  });

  it("names the asked-for paths that do not exist, each once", () => {
    expect(selectFiles(files, { filePaths: ["gone.js", "./gone.js", "src/a.js"] }).missing).toEqual(["gone.js"]);
  });

  it("takes an empty list for no wish", () => expect(paths({ filePaths: [] })).toHaveLength(3));

  it("cuts at the file limit, but not what was asked for by name", () => {
    const { accepted, skipped } = selectFiles(files, { maxFiles: 2 });
    expect(accepted).toHaveLength(2);
    expect(skipped).toContainEqual({ path: "src/edge.js", reason: "over_file_limit" });
    expect(paths({ maxFiles: 0 })).toHaveLength(3);
    expect(paths({ maxFiles: 1, filePaths: ["src/a.js", "src/b.py"] })).toHaveLength(2);
  });

  it.each(["../a.js", "/etc/passwd", "C:\\a.js", "a\0.js", ""])("refuses the asked-for path %j", (path) => {
    expect(() => selectFiles(files, { filePaths: [path] })).toThrow(
      expect.objectContaining({ code: "path_not_allowed", status: 422 }),
    );
  });
});

/** What the contract of the web API names; a scan reads more. */
const promised: Readonly<Record<string, string>> = {
  ".js": "javascript",
  ".jsx": "javascript",
  ".ts": "typescript",
  ".tsx": "typescript",
  ".py": "python",
  ".java": "java",
  ".go": "go",
  ".rs": "rust",
  ".c": "cpp",
  ".cpp": "cpp",
  ".cc": "cpp",
  ".h": "cpp",
  ".hh": "cpp",
  ".cs": "csharp",
  ".php": "php",
  ".rb": "ruby",
  ".kt": "kotlin",
  ".swift": "swift",
  ".sql": "text",
  ".sh": "text",
  ".json": "text",
  ".yml": "text",
  ".yaml": "text",
};

describe("the language of a file", () => {
  it.each([
    ["a.js", "javascript"],
    ["src/a.tsx", "typescript"],
    ["A.PY", "python"],
    ["a.hh", "cpp"],
    ["a.cs", "csharp"],
    ["a.kt", "kotlin"],
    ["a.yaml", "text"],
    ["Makefile", "text"],
    ["a.constructor", "text"],
    [".js", "text"],
    ["a.js/b", "text"],
  ])("of %s is %s", (path, language) => expect(languageOf(path)).toBe(language));

  it("is one that a scan reads", () => {
    for (const extension of Object.keys(promised)) {
      expect(supportedExtensions).toContain(extension);
      expect(languageOf(`src/a${extension}`)).toBe(promised[extension]);
    }
  });
});

describe("the files that a scan reads", () => {
  it.each([
    "Dockerfile",
    "docker/Dockerfile.prod",
    "docker/api.Dockerfile",
    "Containerfile",
    ".env",
    "app/.env.production",
    "prod.env",
    ".github/workflows/build.yml",
    "infra/main.tf",
    "infra/prod.tfvars",
    "nginx.conf",
    "etc/nginx/sites-enabled/shop",
    "public/.htaccess",
    "php.ini",
    "src/main/resources/application.properties",
    "WEB-INF/web.xml",
    "pyproject.toml",
    "views/cart.blade.php",
    "views/cart.html.erb",
    "views/cart.jsp",
    "views/Cart.cshtml",
    "templates/cart.j2",
    "src/Cart.vue",
    "src/cart.mjs",
    "src/cart.hpp",
    "build.kts",
    "deploy.bash",
    ".npmrc",
    "Jenkinsfile",
  ])("have %s among them", (path) => expect(isSupported(path)).toBe(true));

  it.each([
    "LICENSE",
    "README.md",
    "logo.png",
    "notes.txt",
    "style.css",
    "Gemfile.lock",
    "environment",
    "nginx/README",
    "a.constructor",
    ".js",
    "a.env/b",
  ])("have %s not among them", (path) => expect(isSupported(path)).toBe(false));
});
