import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runScan } from "../../bin/scan/run-scan.ts";
import { zipOf } from "../support/api.ts";
import { expectedFindings, vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");
let work: string;
let code: string;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "sluice-command-"));
  code = join(work, "code");
  for (const [path, text] of Object.entries(vulnerableApp)) {
    mkdirSync(dirname(join(code, path)), { recursive: true });
    writeFileSync(join(code, path), text);
  }
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

async function scan(args: string[], environment: Record<string, string> = {}) {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err") =>
    new Writable({
      write(part, _, done) {
        written[name] += part;
        done();
      },
    }) as Writable & { isTTY?: boolean };
  const exit = await runScan(args, {
    stdout: output("out"),
    stderr: output("err"),
    env: { SLUICE_DATA_DIR: join(work, "data"), LANG: "en_GB.UTF-8", ...environment },
    cwd: work,
    signal: new AbortController().signal,
  });
  return { exit, ...written };
}

describe("npm run scan", () => {
  it("audits a folder with a service of its own and leaves nothing behind", async () => {
    const { exit, out, err } = await scan(["code", "--fail-on", "high"]);
    expect({ exit, err }).toMatchObject({ exit: 1 });
    for (const [path, line, cwe] of expectedFindings)
      expect(out).toMatch(new RegExp(`${path}:${line}:\\d+ .*CWE-${cwe}`));
    expect(out).toContain("2 issues");
    expect(readdirSync(join(work, "data"))).toEqual([]);
  });

  it("uses a running service, and writes SARIF with places relative to the folder", async () => {
    const args = ["code", "--url", url, "--format", "sarif", "--out", "result.sarif"];
    expect(await scan(args, { SLUICE_TOKEN: token })).toMatchObject({ exit: 0, out: "" });
    const sarif = JSON.parse(readFileSync(join(work, "result.sarif"), "utf8"));
    const places = sarif.runs[0].results.map((result: { locations: { physicalLocation: Place }[] }) => {
      const { artifactLocation, region } = (result.locations[0] as { physicalLocation: Place }).physicalLocation;
      return [artifactLocation.uri, region.startLine];
    });
    expect(places.toSorted()).toEqual(expectedFindings.map(([path, line]) => [path, line]));
  });

  it("says what is wrong with an archive it cannot take", async () => {
    writeFileSync(
      join(work, "broken.zip"),
      Buffer.from(await (await zipOf({ "a.py": "x" })).arrayBuffer()).subarray(0, 60),
    );
    const { exit, err } = await scan(["broken.zip", "--url", url], { SLUICE_TOKEN: token });
    expect(exit).toBe(2);
    expect(err).toMatch(/not a .*ZIP|archive/i);
  });
});

interface Place {
  artifactLocation: { uri: string };
  region: { startLine: number };
}
