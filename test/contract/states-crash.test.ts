import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../lib/local/service.ts";
import { killPoints } from "../support/kill-points.ts";

/** Killed after some of its commits; SLUICE_KILL_POINTS=all kills it after each, which takes half a minute. */
const fewPoints = 8;

const program = resolve(import.meta.dirname, "../support/crashing-states.ts");

async function run(folder: string, dieAfter: number): Promise<"died" | "finished"> {
  const child = spawn(process.execPath, [program, folder, String(dieAfter)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code, signal] = await once(child, "exit");
  if (signal === "SIGKILL") return "died";
  expect(code).toBe(0);
  return "finished";
}

const logOf = (folder: string): Json[] =>
  readFileSync(join(folder, "log.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

async function crashAndResume(dieAfter: number): Promise<Json[]> {
  const folder = mkdtempSync(join(tmpdir(), "states-crash-"));
  try {
    expect(await run(folder, dieAfter)).toBe("died");
    expect(await run(folder, 0)).toBe("finished");
    return logOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("ends alike after a kill -9 at any commit, and repeats no child of a map that had finished", {
  timeout: 300_000,
}, async () => {
  const golden = mkdtempSync(join(tmpdir(), "states-golden-"));
  expect(await run(golden, 0)).toBe("finished");
  const entries = logOf(golden);
  rmSync(golden, { recursive: true });
  const output = entries.find(({ status }) => status === "SUCCEEDED").output;
  expect(JSON.parse(output)).toEqual(["first", ["left", "answered"], [1, 2, 3]]);
  const calls = entries.filter(({ call }) => call !== undefined).map(({ call }) => call);
  expect(calls).toEqual(["first", "flaky", "flaky", expect.anything(), expect.anything(), 1, 2, 3]);

  const { commits } = entries.at(-1);
  // After the first commit nobody knows of the execution yet, and after the last one there is nothing left to do.
  const points = killPoints(commits - 2, fewPoints).map((point) => point + 1);
  const crash = async () => {
    for (let dieAfter = points.shift(); dieAfter !== undefined; dieAfter = points.shift()) {
      const log = await crashAndResume(dieAfter);
      const where = `killed after commit ${dieAfter} of ${commits}`;
      const endings = log.filter(({ status }) => status !== undefined && status !== "RUNNING");
      expect(endings.length, where).toBeGreaterThan(0);
      for (const ending of endings) expect(ending, where).toEqual({ status: "SUCCEEDED", output });
      for (const [at, { finished }] of log.entries()) {
        if (finished === undefined) continue;
        expect(
          log.slice(at).filter(({ call }) => call === finished),
          where,
        ).toEqual([]);
      }
      // Besides the one that the kill interrupted, nothing runs twice.
      const repeated = log.filter(({ call }) => call !== undefined).length - calls.length;
      expect(repeated, where).toBeLessThanOrEqual(2);
    }
  };
  await Promise.all([crash(), crash()]);
});
