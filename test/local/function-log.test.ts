import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FunctionLog } from "../../lib/local/lambda/function-log.ts";
import { eachLine } from "../../lib/local/lambda/lines.ts";

const megabyte = 1024 * 1024;
const scratch = () => join(mkdtempSync(join(tmpdir(), "sluice-log-")), "functions.jsonl");
const entry = (message: unknown) => ({ function: "f", request_id: "r", stream: "stdout", message }) as const;
const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

it("keeps entries in order, readable by their owner only, and goes on with an old file", async () => {
  const path = scratch();
  for (const part of [[1, "two"], [{ three: 3 }]]) {
    const log = new FunctionLog(path);
    for (const message of part) log.write(entry(message));
    await log.flush();
  }
  expect(linesOf(path).map(({ message }) => message)).toEqual([1, "two", { three: 3 }]);
  expect(linesOf(path)[0]).toMatchObject({
    time: expect.any(String),
    function: "f",
    request_id: "r",
    stream: "stdout",
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("never takes more room than two files of 10 MB and what was under way", async () => {
  const path = scratch();
  const log = new FunctionLog(path);
  for (let i = 0; i < 35; i++) {
    log.write(entry("x".repeat(megabyte)));
    await log.flush();
  }
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThan(12 * megabyte);
  expect(linesOf(`${path}.1`).length + linesOf(path).length).toBeGreaterThanOrEqual(10);
});

it("drops what comes faster than the disk, and says how much", async () => {
  const path = scratch();
  const log = new FunctionLog(path);
  for (let i = 0; i < 20; i++) log.write(entry("x".repeat(megabyte)));
  await log.flush();
  const lines = linesOf(path);
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  expect(dropped).toBeGreaterThan(0);
  expect(lines.filter(({ message }) => message).length + dropped).toBe(20);
});

it("does not stop when it cannot write", async () => {
  const told: string[] = [];
  const log = new FunctionLog("/dev/null/not-a-folder", (line) => told.push(line));
  log.write(entry("lost"));
  await log.flush();
  expect(told).toEqual([expect.stringContaining('"lost"'), expect.stringContaining("could not be written")]);
});

/** The lines of a stream that arrives in these parts. */
async function lines(parts: readonly Buffer[]): Promise<string[]> {
  const input = new PassThrough();
  const taken: string[] = [];
  eachLine(input, (line) => taken.push(line));
  for (const part of parts) input.write(part);
  input.end();
  await finished(input);
  return taken;
}

it("takes lines apart wherever the stream was cut", async () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 8 }).map((line) => line.replace(/[\r\n]/g, "")));
  await fc.assert(
    fc.asyncProperty(text, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), async (expected, sizes) => {
      const bytes = Buffer.from(expected.map((line) => `${line}\n`).join(""));
      const parts: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += parts.at(-1)!.length) {
        parts.push(bytes.subarray(at, at + sizes.next().value));
      }
      expect(await lines(parts)).toEqual(expected);
    }),
  );
});

it("cuts up a line that does not end", async () => {
  const taken = await lines(Array.from({ length: 10 }, () => Buffer.alloc(100_000, "x")));
  expect(taken.map(({ length }) => length)).toEqual([262_144, 262_144, 262_144, 213_568]);
});
