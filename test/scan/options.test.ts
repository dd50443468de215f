import { describe, expect, it } from "vitest";
import { CannotScan } from "../../bin/scan/cannot-scan.ts";
import { travelsInClear } from "../../bin/scan/connect.ts";
import { readOptions } from "../../bin/scan/options.ts";
import { sayIn } from "../../bin/scan/texts.ts";

const read = (argv: string[], env: NodeJS.ProcessEnv = {}) => readOptions(argv, env, "/home/me");

describe("the options", () => {
  it("need nothing but a folder", () => {
    expect(read(["app"])).toEqual({
      target: "/home/me/app",
      format: "table",
      out: null,
      exclude: [],
      rules: [],
      quality: false,
      failOn: null,
      service: null,
      language: "en",
      help: false,
    });
  });

  it("are all taken", () => {
    const argv = [
      "--format=sarif",
      "--out",
      "r.sarif",
      "--exclude",
      "docs",
      "--exclude",
      "*.gen.ts",
      "--fail-on",
      "high",
      "--quality",
      "--rules",
      "own.yaml",
    ];
    const service = ["--url", "https://sluice.example/api/v1/", "--token", "t", "--lang", "zh", "/src/a.zip"];
    expect(read([...argv, ...service])).toEqual({
      target: "/src/a.zip",
      format: "sarif",
      out: "/home/me/r.sarif",
      exclude: ["docs", "*.gen.ts"],
      rules: ["/home/me/own.yaml"],
      quality: true,
      failOn: "high",
      service: { url: "https://sluice.example", token: "t" },
      language: "zh",
      help: false,
    });
  });

  it("resolve paths where the user typed, not where npm runs the script", () => {
    const npm = { npm_lifecycle_event: "scan", INIT_CWD: "/home/me/deep" };
    expect(read([".", "--out", "r.json"], npm)).toMatchObject({ target: "/home/me/deep", out: "/home/me/deep/r.json" });
    expect(read(["."], { ...npm, npm_lifecycle_event: "test" })).toMatchObject({ target: "/home/me" });
  });

  it("take the token from the environment, so that it need not stand in the process list", () => {
    expect(read(["a", "--url", "http://127.0.0.1:8787"], { SLUICE_TOKEN: "kept" })).toMatchObject({
      service: { url: "http://127.0.0.1:8787", token: "kept" },
    });
    expect(read(["a"], { SLUICE_TOKEN: "kept" })).toMatchObject({ service: null });
  });

  it.each([
    [{ LANG: "zh_CN.UTF-8" }, "zh"],
    [{ LANG: "zh_CN.UTF-8", LC_ALL: "C" }, "en"],
    [{ LC_MESSAGES: "zh_TW", LANG: "de_DE" }, "zh"],
    [{ LC_ALL: "", LANG: "zh" }, "zh"],
    [{}, "en"],
  ] as const)("speak the language of %j", (env, language) => {
    expect(read(["a"], env).language).toBe(language);
  });

  it("show the help for --help, whatever else is there", () => {
    expect(read(["--help", "--lang", "zh"])).toEqual({ help: true, language: "zh" });
    expect(read(["-h", "a", "b"])).toMatchObject({ help: true });
  });

  it.each([
    [[], /Name the folder/],
    [[""], /Name the folder/],
    [["a", "b"], /b is one too many/],
    [["a", "--frobnicate"], /Unknown option '--frobnicate'/],
    [["a", "--format", "pdf"], /“pdf”; choose from table, json, sarif, markdown/],
    [["a", "--fail-on", "info"], /“info”; choose from critical, high, medium, low/],
    [["a", "--lang", "fr"], /“fr”; choose from en, zh/],
    [["a", "--out"], /'--out <value>' argument missing/],
    [["a", "--url", "sluice.example", "--token", "t"], /--url takes/],
    [["a", "--url", "ftp://sluice.example", "--token", "t"], /--url takes/],
    [["a", "--url", "https://u:p@sluice.example", "--token", "t"], /--url takes/],
    [["a", "--url", "https://sluice.example"], /SLUICE_TOKEN/],
    [["a", "--token", "t"], /goes together with --url/],
    [["a", "--lang", "zh", "--token", "t"], /必须与 --url 一起使用/],
  ])("refuse %j and say why", (argv, message) => {
    expect(refusal(() => read(argv))).toMatch(message);
  });

  it("warn of a token that anybody on the way could read", () => {
    expect(["http://sluice.example", "http://10.0.0.1:8787"].map(travelsInClear)).toEqual([true, true]);
    const safe = ["https://sluice.example", "http://127.0.0.1:8787", "http://localhost", "http://[::1]:80"];
    expect(safe.map(travelsInClear)).toEqual([false, false, false, false]);
  });
});

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof CannotScan) return error.sentence(sayIn("en"));
    throw error;
  }
  return "";
}
