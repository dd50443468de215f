import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runScan } from "../../bin/scan/run-scan.ts";
import { createWorkFolder } from "../../bin/scan/work-folder.ts";
import { issue, task } from "./results.ts";
import { type Answer, page, problem, project, type ScriptedService, startScriptedService } from "./scripted-service.ts";

let folder: string;
let service: ScriptedService | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-scan-"));
  mkdirSync(join(folder, "shop"));
  writeFileSync(join(folder, "shop/app.js"), "eval(location.hash);\n");
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "notes.zip"), "not an archive");
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  argv: string[],
  { env = {}, signal = new AbortController().signal, isTTY = false } = {},
): Promise<Run> {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 100 });
  const written = Promise.all([text(stdout), text(stderr)]);
  const given = { SLUICE_DATA_DIR: join(folder, ".sluice"), ...env };
  const code = await runScan(argv, { stdout, stderr, env: given, cwd: folder, signal });
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err };
}

/** Against a service that answers by contract but for what the script says. */
async function runWith(
  script: Parameters<typeof startScriptedService>[0],
  argv = ["shop"],
  options: Parameters<typeof run>[1] = {},
) {
  service = await startScriptedService(script);
  return run([...argv, "--url", service.url, "--token", "secret-token"], options);
}

describe("scanning through a running service", () => {
  it("prints the result, and nothing else, on standard output", async () => {
    const { code, stdout, stderr } = await runWith({});
    expect(stdout).toMatch(/^SEVERITY .*\nhigh +src\/app\.js:12:5 .*\n\n1 issue: 1 high\n3 files scanned/);
    expect(stderr).toBe("Packing 1 file ...\nUploading 1 kB ...\nQueued ...\nReading the result ...\n");
    expect(code).toBe(0);
  });

  it("sends the token to the service and not to the bucket, the file last, and asks in its language", async () => {
    await runWith({}, ["shop", "--lang", "zh", "--exclude", "*.py"]);
    for (const { route, headers } of service!.requests) {
      expect(headers.authorization).toBe(route === "POST /bucket" ? undefined : "Bearer secret-token");
      if (route !== "POST /bucket") expect(headers["accept-language"]).toBe("zh");
      if (/^POST (?!\/bucket)/.test(route)) expect(headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    }
    const upload = service!.requests.find((request) => request.route === "POST /bucket")!;
    expect([...upload.body.toString("latin1").matchAll(/name="(\w+)"/g)].map((match) => match[1])).toEqual([
      "key",
      "policy",
      "file",
    ]);
    expect(Number(upload.headers["content-length"])).toBe(upload.body.length);
    const started = service!.requests.find((request) => request.route === "POST /scan/scan-stored-zip")!;
    expect(JSON.parse(started.body.toString())).toEqual({ exclude_patterns: ["*.py"] });
  });

  it("uses the caller's ZIP project of that name again, wherever it is in the list", async () => {
    const others = Array.from({ length: 100 }, (_, n) => project(`other ${n}`));
    const repository = { ...project("shop"), source_type: "repository" as const };
    const lists = [page(others, 102), page([repository, project("shop")], 102)];
    const { code } = await runWith({
      "GET /projects": ({ url }) => lists[Number(url.searchParams.get("skip")) / 100] as Answer,
    });
    expect(code).toBe(0);
    expect(service!.count("GET /projects")).toBe(2);
    expect(service!.count("POST /projects")).toBe(0);
  });

  it("reads issues page by page", async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => issue({ line_number: n + 1, fingerprint: String(n) }));
    const { stdout } = await runWith(
      {
        "GET /tasks/:id/issues": ({ url }) =>
          page(rows.slice(Number(url.searchParams.get("skip"))).slice(0, 1000), 1500),
      },
      ["shop", "--format", "json"],
    );
    expect(JSON.parse(stdout).issues).toHaveLength(1500);
  });

  it("follows the task until it ends", async () => {
    const states = [
      task({ status: "pending", scanned_files: 0, total_files: 0 }),
      task({ status: "running", scanned_files: 1 }),
      task({ status: "running", scanned_files: 2 }),
      task(),
    ];
    const { code, stderr } = await runWith({ "GET /tasks/:id": (_, nth) => ({ body: states[nth - 1] }) });
    expect(code).toBe(0);
    expect(stderr).toContain("Queued ...\nAnalysing ...\nReading the result ...\n");
  });

  it.each([
    ["json", /^\{\n {2}"version": 1,/],
    ["sarif", /^\{\n {2}"\$schema": /],
    ["markdown", /^# Security audit of shop\n/],
  ])("writes %s to a file and says so", async (format, start) => {
    const out = join(folder, "result");
    const { code, stdout, stderr } = await runWith({}, ["shop", "--format", format, "--out", "result"]);
    expect(code).toBe(0);
    expect(stdout).toBe("");
    expect(readFileSync(out, "utf8")).toMatch(start);
    expect(stderr).toContain(`1 issue: 1 high\n`);
    expect(stderr).toContain(`Written to ${out}\n`);
  });

  it("shows on a terminal one moving line, gone in the end", async () => {
    const states = [
      task({ status: "running", scanned_files: 1 }),
      task({ status: "running", scanned_files: 2 }),
      task(),
    ];
    const script = { "GET /tasks/:id": (_: unknown, nth: number) => ({ body: states[nth - 1] }) };
    const { stdout, stderr } = await runWith(script, ["shop"], { isTTY: true });
    expect(stderr).toMatch(/Analysing ━+─+ 2\/3/);
    expect(stderr).toMatch(/\u001b\[2K$/); // the last thing it did was to clear the line
    expect(stderr).not.toContain("\n");
    expect(stdout).not.toContain("\u001b");
  });

  it("leaves nothing behind", async () => {
    await runWith({});
    expect(readdirSync(join(folder, ".sluice"))).toEqual([]);
  });
});

describe("the exit code", () => {
  it.each([
    ["critical", 0],
    ["high", 1],
    ["low", 1],
  ])("for --fail-on %s and an open high issue is %i", async (severity, expected) => {
    expect((await runWith({}, ["shop", "--fail-on", severity])).code).toBe(expected);
  });

  it("takes no notice of silenced issues", async () => {
    const silenced = issue({ status: "false_positive", suppression: "test" });
    const { code } = await runWith({ "GET /tasks/:id/issues": () => page([silenced]) }, ["shop", "--fail-on", "low"]);
    expect(code).toBe(0);
  });

  it("is 2 when nothing was analysed, with the result written all the same", async () => {
    const nothing = task({
      total_files: 0,
      scanned_files: 0,
      warnings: [{ code: "no_scannable_files", count: 1, paths: ["a.txt"] }],
    });
    const { code, stdout } = await runWith({
      "GET /tasks/:id": () => ({ body: nothing }),
      "GET /tasks/:id/issues": () => page([]),
    });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^Nothing was analysed/);
  });

  it("is 0 for --help, which goes to standard output", async () => {
    expect(await run(["--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--fail-on SEVERITY"),
      stderr: "",
    });
  });
});

describe("what it cannot scan", () => {
  it.each([
    [["--nope"], /^Unknown option '--nope'/],
    [["nowhere"], /^There is no file or folder \S+nowhere\n$/],
    [["shop/app.js/x"], /^There is no file or folder/],
    [["empty"], /is empty: there is nothing to scan/],
    [["notes.zip"], /neither a folder nor a ZIP archive/],
    [["shop/app.js"], /neither a folder nor a ZIP archive/],
    [["/dev/null"], /neither a folder nor a file/],
    [["shop", "--exclude", "(a+)+"], /uses syntax that is not supported/],
    [["shop", "--exclude", "*.js"], /none of its 1 file is source code/],
    [["shop", "--out", "nowhere/r.json"], /r\.json cannot be written: no such file or folder/],
    [["shop", "--out", "empty"], /empty cannot be written: it is a folder/],
  ])("%j is said in one line, with exit code 2", async (argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("says it in Chinese to a Chinese user", async () => {
    expect((await run(["nowhere"], { env: { LANG: "zh_CN.UTF-8" } })).stderr).toMatch(/不存在\n$/);
  });

  it("keeps control characters of a path away from the terminal", async () => {
    expect((await run(["\u001b[2Jx"])).stderr).toContain("/\\u001b[2Jx");
  });

  it("names a setting that is wrong", async () => {
    expect(await run(["shop"], { env: { PORT: "many" } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("PORT"),
    });
  });
});

describe("a service in trouble", () => {
  const scripts: [string, Record<string, () => Answer>, RegExp][] = [
    [
      "refuses the token",
      { "GET /users/me": () => problem(401, "not_authenticated", "Sign in first") },
      /does not accept the token/,
    ],
    [
      "is another kind of server",
      { "GET /users/me": () => ({ body: "<html>" }) },
      /does not answer as a Sluice service.*HTTP 200/,
    ],
    [
      "has no such route",
      { "GET /users/me": () => ({ status: 404, body: "gone" }) },
      /does not answer as a Sluice service.*HTTP 404/,
    ],
    [
      "redirects",
      { "GET /users/me": () => ({ status: 302, headers: { location: "https://evil.example/" } }) },
      /redirects to https:\/\/evil\.example\//,
    ],
    [
      "refuses the archive",
      {
        "POST /projects/:id/zip/uploads/:id/finish": () =>
          problem(422, "zip_symlink", "Entry “a\u001b[2J” is a symbolic link"),
      },
      /The service refused: Entry “a\\u001b\[2J” is a symbolic link/,
    ],
    [
      "finds fault with a field",
      {
        "POST /projects": () => ({
          status: 422,
          body: { detail: [{ type: "x", loc: [], msg: "too short" }], code: "validation_failed" },
        }),
      },
      /The service refused: too short/,
    ],
    [
      "takes smaller archives only",
      {
        "POST /projects/:id/zip/uploads": () => ({
          body: { upload_id: "u", url: "http://127.0.0.1/", fields: {}, max_bytes: 10 },
        }),
      },
      /The archive has 1 kB; the service takes/,
    ],
    [
      "has a bucket that refuses",
      {
        "POST /bucket": () => ({
          status: 403,
          body: "<Error><Code>AccessDenied</Code><Message>Policy expired</Message></Error>",
        }),
      },
      /The upload failed: Policy expired/,
    ],
    [
      "fails the task",
      {
        "GET /tasks/:id": () => ({
          body: task({ status: "failed", error_code: "x", error_message: "None could be read" }),
        }),
      },
      /The scan failed: None could be read/,
    ],
    [
      "sees the task cancelled",
      { "GET /tasks/:id": () => ({ body: task({ status: "cancelled" }) }) },
      /Somebody cancelled the scan/,
    ],
    [
      "got another archive meanwhile",
      { "GET /projects/:id/zip": () => ({ body: { sha256: "other" } }) },
      /Somebody else uploaded/,
    ],
    [
      "answers what no contract says",
      { "GET /tasks/:id": () => ({ body: { status: "completed" } }) },
      /does not answer as a Sluice service/,
    ],
  ];

  it.each(scripts)("that %s", async (_, script, message) => {
    const { code, stdout, stderr } = await runWith(script);
    expect(stderr.trim().split("\n").at(-1)).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toContain("secret-token");
    expect(readdirSync(join(folder, ".sluice"))).toEqual([]);
  });

  it("is called by its address when it cannot be reached", async () => {
    service = await startScriptedService();
    const { url } = service;
    await service.stop();
    service = undefined;
    const { code, stderr } = await run(["shop", "--url", url, "--token", "t"]);
    expect(stderr).toContain(`${url} cannot be reached: connection refused\n`);
    expect(code).toBe(2);
  });

  it("is asked again when it or the way to it fails for a moment, with the same idempotency key", async () => {
    const { code } = await runWith({
      "POST /scan/scan-stored-zip": (_, nth) =>
        nth === 1 ? { cut: true } : nth === 2 ? problem(409, "request_in_progress", "wait") : started,
      "GET /tasks/:id": (_, nth) => (nth === 1 ? { status: 503, body: "busy" } : { body: task() }),
      "POST /bucket": (_, nth) => ({ status: nth === 1 ? 500 : 204 }),
    });
    expect(code).toBe(0);
    const keys = service!.requests
      .filter(({ route }) => route === "POST /scan/scan-stored-zip")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });
});

const started: Answer = { body: { task_id: "0197a2b0-0000-7000-8000-000000000001", status: "queued" } };

describe("an interruption", () => {
  it.each([
    ["while it waits", "GET /tasks/:id", { body: task({ status: "running" }) }],
    ["while the scan is being started", "POST /scan/scan-stored-zip", started],
  ] as const)("%s cancels the task on the service and exits with 130", async (_, route, answer) => {
    const interrupt = new AbortController();
    const script = {
      [route]: () => {
        interrupt.abort();
        return answer;
      },
    };
    const { code, stdout, stderr } = await runWith(script, ["shop"], { signal: interrupt.signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toMatch(/cancelling the scan/);
    expect(service!.count("POST /tasks/:id/cancel")).toBe(1);
    expect(readdirSync(join(folder, ".sluice"))).toEqual([]);
  });

  it("before the scan has begun has nothing to cancel", async () => {
    const { code } = await runWith({}, ["shop"], { signal: AbortSignal.abort() });
    expect(code).toBe(130);
    expect(service!.count("POST /tasks/:id/cancel")).toBe(0);
  });
});

describe("the work folder", () => {
  it("takes away what a killed run left, and nothing of a run that lives or of anything else", async () => {
    const data = join(folder, "data");
    // The largest process id there can be is 2^22; this one never was.
    const names = { dead: "scan-999999999-abcdef", alive: `scan-${process.pid}-abcdef`, other: "scan-notes" };
    for (const name of Object.values(names)) mkdirSync(join(data, name), { recursive: true });
    const work = await createWorkFolder(data);
    expect(existsSync(work.path)).toBe(true);
    await work.remove();
    expect(readdirSync(data).toSorted()).toEqual([names.alive, names.other].toSorted());
  });
});
