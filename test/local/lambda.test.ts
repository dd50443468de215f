import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { FunctionLog } from "../../lib/local/lambda/function-log.ts";
import { type FunctionProps, Lambda, type LambdaProps } from "../../lib/local/lambda.ts";

/** Handlers as small as a handler can be; each file is one function. */
const sources = {
  echo: `export const handler = async (event, context) => ({ event, context, left: context.getRemainingTimeInMillis() });`,
  environment: `export const handler = async () => process.env;`,
  count: `let calls = 0; export const handler = async () => ++calls;`,
  endless: `export const handler = async () => { for (;;); };`,
  silent: `export const handler = () => new Promise(() => setInterval(() => {}, 1e6));`,
  throws: `class QuotaExceeded extends Error { name = "QuotaExceeded"; } export const handler = async () => { throw new QuotaExceeded("no more"); };`,
  throwsText: `export const handler = async () => { throw "only a text"; };`,
  exits: `export const handler = async () => process.exit(3);`,
  rejectsLater: `export const handler = async () => { Promise.reject(new TypeError("forgotten")); await new Promise(() => setInterval(() => {}, 1e6)); };`,
  fillsHeap: `export const handler = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); };`,
  fillsBuffers: `export const handler = async () => { const all = []; for (;;) all.push(Buffer.alloc(1e6, 1)); };`,
  fillsMap: `export const handler = async () => { const all = new Map(); for (let i = 0; ; i++) all.set(i, i); };`,
  inNativeCode: `export const handler = async () => "x".repeat(2e8).replace(/x/g, "yyyyyyyyyy").length;`,
  broken: `export const handler = async () => { this is not JavaScript };`,
  failsAtStart: `throw new RangeError("bad start");`,
  nameless: `export const other = 1;`,
  large: `export const handler = async ({ bytes }) => "x".repeat(bytes);`,
  circular: `export const handler = async () => { const a = {}; a.a = a; return a; };`,
  nothing: `export const handler = () => {};`,
  cacheFolder: `import { getCompileCacheDir } from "node:module"; export const handler = async () => getCompileCacheDir();`,
  prints: `export const handler = async () => { console.log("to stdout"); console.error("to stderr"); };`,
  // Waits until as many others wait with it: ends only if that many run at the same time.
  meets: `
    export const handler = async ({ file, count }) => {
      const { appendFileSync, readFileSync } = await import("node:fs");
      appendFileSync(file, "+");
      while (readFileSync(file, "utf8").length < count) await new Promise(setImmediate);
      return count;
    };`,
  alone: `
    import { rmdirSync, mkdirSync } from "node:fs";
    export const handler = async ({ folder }) => {
      mkdirSync(folder); // throws if another instance runs now
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      rmdirSync(folder);
    };`,
};

let folder: string;
const started: Lambda[] = [];
let names = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-lambda-"));
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, `${name}.mjs`), source);
});
afterEach(() => Promise.all(started.splice(0).map((lambda) => lambda.close())));
afterAll(() => rmSync(folder, { recursive: true }));

/** A Lambda with one function; `call` invokes it. */
function functionOf(
  source: keyof typeof sources,
  props: Partial<FunctionProps> = {},
  lambdaProps: Partial<LambdaProps> = {},
) {
  const logPath = join(folder, `log-${names++}.jsonl`);
  const lambda = new Lambda({ log: new FunctionLog(logPath), ...lambdaProps });
  started.push(lambda);
  const add = (name: string) => {
    const arn = `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
    const defaults = { memorySizeMiB: 128, timeoutSeconds: 20, concurrency: 2, environment: {} };
    lambda.addFunction({ name, arn, codeFolder: folder, handler: `${source}.handler`, ...defaults, ...props });
    return (event: unknown = {}) => lambda.invoke(arn, event);
  };
  const log = async () => {
    await lambda.close();
    return readFileSync(logPath, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { lambda, add, log, call: add(`the-${source}`) };
}

describe("a function that answers", () => {
  it("gets the event and Lambda's context", async () => {
    const { call } = functionOf("echo", { memorySizeMiB: 256, timeoutSeconds: 7 });
    const result = await call({ a: ["é", 1] });
    expect(result).toMatchObject({
      ok: true,
      payload: {
        event: { a: ["é", 1] },
        context: {
          functionName: "the-echo",
          functionVersion: "$LATEST",
          invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:the-echo",
          memoryLimitInMB: "256",
          awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
    });
    const { left } = (result as { payload: { left: number } }).payload;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(7000);
  });

  it("sees its own environment and nothing of this process", async () => {
    vi.stubEnv("VITE_SECRET", "of the host");
    const { call } = functionOf("environment", { environment: { TABLE: "t" } });
    expect(await call()).toEqual({ ok: true, payload: { TABLE: "t" } });
  });

  it("keeps its instance, and so its memory, between invocations", async () => {
    const { call, lambda } = functionOf("count");
    expect([await call(), await call(), await call()].map((result) => result.ok && result.payload)).toEqual([1, 2, 3]);
    expect(lambda.instances).toEqual({ busy: 0, warm: 1 });
  });

  it("leaves what V8 made of its code to later instances, where it is told a folder for that", async () => {
    const codeCache = join(folder, "code-cache");
    const { call, lambda } = functionOf("cacheFolder", { codeCache });
    expect(await call()).toMatchObject({ payload: expect.stringContaining(codeCache) });
    // Answered by the same instance, so after it has written.
    await call();
    await lambda.close();
    const files = readdirSync(codeCache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toHaveLength(1);
    expect(await functionOf("cacheFolder").call()).toEqual({ ok: true, payload: null });
  });

  it("answers null when it returns nothing", async () => {
    expect(await functionOf("nothing").call()).toEqual({ ok: true, payload: null });
  });

  it("has its output in the log, with its name and request", async () => {
    const { call, log } = functionOf("prints");
    await call();
    const lines = await log();
    const common = { function: "the-prints", request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(lines).toContainEqual(expect.objectContaining({ ...common, stream: "stdout", message: "to stdout" }));
    expect(lines).toContainEqual(expect.objectContaining({ ...common, stream: "stderr", message: "to stderr" }));
  });
});

describe("a function that fails", () => {
  const problem = async (call: () => ReturnType<Lambda["invoke"]>) => {
    const result = await call();
    if (result.ok) throw new Error("The invocation was expected to fail.");
    const answer = JSON.parse(result.message);
    expect(answer.errorType).toBe(result.error);
    return answer;
  };

  /** Either V8 gives up first, or the watch over the process's memory. */
  const outOfMemory = /^Runtime\.(ExitError|OutOfMemory)$/;
  it.each([
    ["throws an error of its own", "throws", "QuotaExceeded", "no more"],
    ["throws a text", "throwsText", "string", "only a text"],
    ["leaves a rejection behind", "rejectsLater", "Runtime.UnhandledPromiseRejection", "forgotten"],
    [
      "exits",
      "exits",
      "Runtime.ExitError",
      /^RequestId: [0-9a-f-]{36} Error: Runtime exited with error: exit status 3$/,
    ],
    ["is not JavaScript", "broken", "SyntaxError", /./],
    ["throws while loading", "failsAtStart", "RangeError", "bad start"],
    ["has no handler", "nameless", "Runtime.HandlerNotFound", "nameless.handler is undefined or not exported"],
    ["returns a circle", "circular", "Runtime.MarshalError", /^Unable to stringify response body/],
    ["outgrows its heap bit by bit", "fillsHeap", outOfMemory, /signal: (aborted|killed)$/],
    ["outgrows its heap in one stroke", "fillsMap", outOfMemory, /signal: (aborted|killed)$/],
    ["outgrows its memory with buffers", "fillsBuffers", "Runtime.OutOfMemory", /signal: killed$/],
  ] as const)("says so when it %s, and works again next time", async (_, source, errorType, message) => {
    const { call } = functionOf(source);
    const expected = {
      errorType: typeof errorType === "string" ? errorType : expect.stringMatching(errorType),
      errorMessage: expect.stringMatching(message),
    };
    expect(await problem(call)).toMatchObject(expected);
    expect(await problem(call)).toMatchObject(expected);
  });

  it.each(["endless", "silent", "inNativeCode"] as const)("is stopped after its time-out (%s)", async (source) => {
    const { call, lambda } = functionOf(source, { timeoutSeconds: 0.05, memorySizeMiB: 10_240 });
    const message = /^RequestId: [0-9a-f-]{36} Error: Task timed out after 0.05 seconds$/;
    expect(await problem(call)).toEqual({
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringMatching(message),
    });
    expect(lambda.instances).toEqual({ busy: 0, warm: 0 });
  });

  it("says where an error came from, to the caller and in the log", async () => {
    const { call, log } = functionOf("throws");
    expect((await problem(call)).trace.join("\n")).toContain("throws.mjs");
    expect(await log()).toContainEqual(
      expect.objectContaining({ stream: "runtime", message: expect.objectContaining({ errorType: "QuotaExceeded" }) }),
    );
  });

  it("names a file that is not there", async () => {
    const { call } = functionOf("echo", { handler: "missing/index.handler" });
    expect(await problem(call)).toMatchObject({ errorType: "Runtime.ImportModuleError" });
  });
});

describe("a function when the embedded cloud is killed", () => {
  it("ends with it, also in mid-computation", async () => {
    const pidFile = join(folder, "pid");
    const source = `import { writeFileSync } from "node:fs";
      export const handler = async () => { writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); console.log("in"); for (;;); };`;
    writeFileSync(join(folder, "spins.mjs"), source);
    const holder = spawn(process.execPath, [join(import.meta.dirname, "endless-cloud.ts"), folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    // Nothing tells when a grandchild ends, so this asks until it has; the test's own time-out bounds it.
    while (isAlive(pid)) await new Promise(setImmediate);
  });
});

/** False as well for a process that has ended and waits for someone to notice. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("Lambda's limits", () => {
  it("refuses an event over 6 MB", async () => {
    const { call } = functionOf("echo");
    expect(await call("x".repeat(6 * 1024 * 1024))).toMatchObject({
      ok: false,
      error: "Lambda.RequestTooLargeException",
    });
  });

  it("refuses an answer over 6 MB and lets one of 6 MB pass", async () => {
    const { call } = functionOf("large");
    expect(await call({ bytes: 6 * 1024 * 1024 - 2 })).toMatchObject({ ok: true });
    expect(await call({ bytes: 6 * 1024 * 1024 - 1 })).toMatchObject({
      ok: false,
      error: "Function.ResponseSizeTooLarge",
    });
  });

  it("refuses a function that does not exist or is switched off", async () => {
    const { lambda, call } = functionOf("echo", { concurrency: 0 });
    expect(await call()).toMatchObject({ error: "Lambda.TooManyRequestsException" });
    expect(await lambda.invoke("arn:aws:lambda:us-east-1:000000000000:function:no", {})).toMatchObject({
      error: "Lambda.ResourceNotFoundException",
    });
  });

  it("runs as many at a time as the function's concurrency allows", async () => {
    const { call } = functionOf("meets", { concurrency: 3 });
    const event = { file: join(folder, "three"), count: 3 };
    expect(await Promise.all([call(event), call(event), call(event)])).toEqual(Array(3).fill({ ok: true, payload: 3 }));
  });

  it("lets invocations wait beyond the concurrency", async () => {
    const { call, lambda } = functionOf("alone", { concurrency: 1 });
    const event = { folder: join(folder, "only-one") };
    const results = await Promise.all(Array.from({ length: 8 }, () => call(event)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(lambda.instances).toEqual({ busy: 0, warm: 1 });
  });

  it("does not let a function that waits hold up another", async () => {
    const { call, lambda, add } = functionOf("meets", { concurrency: 1 });
    const other = add("other");
    const event = { file: join(folder, "two"), count: 2 };
    // The second call of the first function waits; the other function must start all the same for the first to end.
    const results = await Promise.all([call(event), call(event), other(event)]);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(lambda.instances.warm).toBe(2);
  });

  it("keeps within the instances of the whole machine by retiring the one idle longest", async () => {
    const { call, lambda, add } = functionOf("count", {}, { instancesMax: 2 });
    const [second, third] = [add("second"), add("third")];
    for (const invoke of [call, second, call, third]) await invoke();
    expect(lambda.instances).toEqual({ busy: 0, warm: 2 });
    expect(await call()).toEqual({ ok: true, payload: 3 });
    expect(await second()).toEqual({ ok: true, payload: 1 });
  });

  it("keeps only so many instances warm", async () => {
    const { call, lambda, add } = functionOf("count", {}, { warmMax: 1 });
    await call();
    await add("second")();
    expect(lambda.instances.warm).toBe(1);
    expect(await call()).toEqual({ ok: true, payload: 1 });
  });

  it("retires an instance that has waited too long", async () => {
    let now = 0;
    const { call, lambda } = functionOf("count", {}, { now: () => now, idleSeconds: 60 });
    await call();
    now = 59_999;
    lambda.retireIdle();
    expect(lambda.instances.warm).toBe(1);
    now = 60_000;
    lambda.retireIdle();
    expect(lambda.instances.warm).toBe(0);
    expect(await call()).toEqual({ ok: true, payload: 1 });
  });

  it("fails what runs and what waits when it closes", async () => {
    const { call, lambda } = functionOf("silent", { concurrency: 1 });
    const calls = [call(), call()];
    await lambda.close();
    expect((await Promise.all(calls)).map((result) => !result.ok && result.error)).toEqual([
      "Runtime.ExitError",
      "Lambda.ServiceException",
    ]);
    expect(await call()).toMatchObject({ error: "Lambda.ServiceException" });
  });
});
