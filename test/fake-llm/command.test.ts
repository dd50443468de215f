import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { readFakeLlmOptions } from "../../bin/fake-llm/options.ts";
import { chat, promptFor, vulnerable } from "./asking.ts";

it("reads the command line, and chooses a seed when none is given", () => {
  expect(readFakeLlmOptions([], 7)).toEqual({ port: 8_790, latencyMs: 0, faults: null });
  expect(readFakeLlmOptions(["--faults", "0.2"], 7).faults).toEqual({ seed: 7, rate: 0.2, kinds: undefined });
  expect(readFakeLlmOptions("--port 0 --latency 800 --faults 1 --seed 3 --kinds empty,stall".split(" "), 7)).toEqual({
    port: 0,
    latencyMs: 800,
    faults: { seed: 3, rate: 1, kinds: ["empty", "stall"] },
  });
});

it.each([
  [["--port", "70000"], /^--port: /],
  [["--faults", "2"], /^--faults: /],
  [["--kinds", "nonsense"], /^--kinds: /],
  [["--nonsense"], /--nonsense/],
])("refuses %j", (argv, reason) => {
  expect(() => readFakeLlmOptions(argv, 7)).toThrow(reason);
});

it("runs as a process, says where it listens, and ends on SIGTERM", async () => {
  const program = spawn(process.execPath, [resolve(import.meta.dirname, "../../bin/fake-llm.ts"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(program, "exit");
  const [line] = await once(createInterface(program.stdout), "line");
  const url = /^The scripted model listens at (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1] ?? "";
  expect((await chat(url, promptFor("a.py", vulnerable))).status).toBe(200);
  program.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
