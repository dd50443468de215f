import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { v4 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runScan } from "../../bin/scan/run-scan.ts";
import { type Answer, Api } from "../support/api.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");
const administrator = new Api(url, token);
const builder = { email: `builder-${uuid()}@example.test`, password: "seven green bicycles" };
let work: string;
let user: Api;
let userId: string;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "sluice-tokens-"));
  writeFileSync(join(work, "app.py"), vulnerableApp["shop/app.py"]);
  const json = { ...builder, full_name: "Build Server" };
  userId = (await administrator.ok("POST", "/api/v1/users", { json })).id;
  user = await new Api(url).as(builder);
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const make = (scope: string): Promise<Answer["body"]> =>
  user.ok("POST", "/api/v1/users/me/tokens", { json: { name: `${scope} only`, scope, expires_in_days: 1 } });

/** `npm run scan` of the folder, as a build server runs it. */
async function scan(token: string) {
  let err = "";
  const nowhere = () => new Writable({ write: (_, __, done) => done() }) as Writable & { isTTY?: boolean };
  const stderr = new Writable({
    write(part, _, done) {
      err += part;
      done();
    },
  }) as Writable & { isTTY?: boolean };
  const exit = await runScan([".", "--url", url, "--fail-on", "high"], {
    stdout: nowhere(),
    stderr,
    env: { SLUICE_TOKEN: token, LANG: "en_GB.UTF-8" },
    cwd: work,
    signal: new AbortController().signal,
  });
  return { exit, err };
}

describe("a build server with an API token", () => {
  it("scans with the scope for it, the first time too, and all of it is on record", async () => {
    const { id, token } = await make("scan");
    expect(await scan(token)).toMatchObject({ exit: 1 });
    const { entries } = await administrator.ok("GET", "/api/v1/audit-log", { query: { user_id: userId } });
    const written = entries.map((entry: Answer["body"]) => [entry.operation, entry.token_id]);
    expect(written).toEqual([
      ["scanStoredZip", id],
      ["finishZipUpload", id],
      ["beginZipUpload", id],
      ["createProject", id],
      ["createToken", null],
      ["login", null],
    ]);
    const [scanned, finished, begun, created, , signedIn] = entries;
    expect(scanned.targets).toEqual({ project_id: created.targets.id, task_id: expect.any(String) });
    expect(finished.targets).toMatchObject({ id: created.targets.id, upload_id: begun.targets.upload_id });
    expect(signedIn).toMatchObject({ user_id: userId, email_hash: expect.any(String), outcome: "done" });
    for (const entry of entries) expect(entry.source_ip).toMatch(/^(127\.0\.0\.1|::1)$/);
    const [listed] = await user.ok("GET", "/api/v1/users/me/tokens");
    expect(listed).toMatchObject({ id, name: "scan only", last_used_at: expect.any(String) });
  });

  it("is told what it lacks when the scope is too narrow", async () => {
    const { token } = await make("read");
    const { exit, err } = await scan(token);
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining("scope") });
  });

  it("cannot help itself to more", async () => {
    const { token } = await make("scan");
    const program = new Api(url, token);
    for (const [method, path, json] of [
      ["POST", "/api/v1/users/me/tokens", { name: "more", scope: "all" }],
      ["GET", "/api/v1/users/me/tokens", undefined],
      ["PUT", "/api/v1/users/me", { password: "eight green bicycles" }],
      ["GET", "/api/v1/users", undefined],
      ["GET", "/api/v1/audit-log", undefined],
    ] as const) {
      const { status, body } = await program.call(method, path, { json });
      expect([path, status, body.code]).toEqual([path, 403, "token_scope_insufficient"]);
    }
  });

  it("is locked out with its user, at once and for good", async () => {
    const program = new Api(url, (await make("read")).token);
    await program.ok("GET", "/api/v1/users/me");
    for (let i = 0; i < 2; i++) {
      await administrator.ok("POST", `/api/v1/users/${userId}/toggle-status`);
      expect((await program.call("GET", "/api/v1/users/me")).status).toBe(401);
    }
  });
});
