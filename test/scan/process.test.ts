import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { task } from "./results.ts";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

const program = resolve(import.meta.dirname, "../../bin/scan.ts");
let folder: string;
let service: ScriptedService;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-scan-"));
  mkdirSync(join(folder, "shop"));
  writeFileSync(join(folder, "shop/app.js"), "eval(location.hash);\n");
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (args: string[]) => {
  const env = { PATH: process.env.PATH, SLUICE_DATA_DIR: join(folder, ".sluice"), SLUICE_TOKEN: "from-environment" };
  return spawn(process.execPath, [program, "shop", "--url", service.url, ...args], { cwd: folder, env });
};

describe("the program", () => {
  it("ends with the exit code of the scan", async () => {
    service = await startScriptedService();
    const child = start(["--fail-on", "high"]);
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(code).toBe(1);
    expect(stdout).toContain("1 issue: 1 high");
    expect(service.requests[0]?.headers.authorization).toBe("Bearer from-environment");
  });

  it("cancels the scan on Ctrl-C, removes what it stored and exits with 130", async () => {
    const child = { kill: (_: NodeJS.Signals) => {} };
    service = await startScriptedService({
      "GET /tasks/:id": () => {
        child.kill("SIGINT");
        return { body: task({ status: "running" }) };
      },
    });
    const started = start([]);
    child.kill = (signal) => void started.kill(signal);
    const [stderr, [code]] = await Promise.all([text(started.stderr), once(started, "exit")]);
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted\.\n$/);
    expect(service.count("POST /tasks/:id/cancel")).toBe(1);
    expect(readdirSync(join(folder, ".sluice"))).toEqual([]);
  });

  it("does not mind a reader that stops reading", async () => {
    service = await startScriptedService();
    const child = start([]);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(stderr).not.toContain("Error");
    expect(code).toBe(0);
  });
});
