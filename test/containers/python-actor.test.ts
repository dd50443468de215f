import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { Metrics } from "../../containers/grpc/metrics.ts";
import { StoredRuns } from "../../containers/grpc/stored-runs.ts";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { closeRun } from "../../functions/runs/run-store.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { allItems, textOf } from "../runs/runs.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { randomFrom } from "../support/kill-points.ts";
import { cuttingLine } from "./cutting-line.ts";
import { serve } from "./served.ts";

/** grpcio is what the README asks its reader for; it is not ours to install. */
const python = process.env.PYTHON ?? "python3";
const hasGrpcio = spawnSync(python, ["-c", "import grpc"]).status === 0;
if (!hasGrpcio) console.warn(`skipped: ${python} has no grpcio (Debian: python3-grpcio; PYTHON names another one)`);

let data: EmbeddedData;
let folder: string;
beforeAll(async () => {
  data = await startEmbeddedData();
  folder = await mkdtemp(join(tmpdir(), "sluice-python-"));
  const readme = await readFile(resolve(import.meta.dirname, "../../containers/learner/README.md"), "utf8");
  for (const [, code, name] of readme.matchAll(/```python\n(# (\w+\.py):[\s\S]*?)```/g))
    await writeFile(join(folder, name as string), code as string);
});
afterAll(async () => {
  await data.stop();
  await rm(folder, { recursive: true });
});

/** A program of the README, with its input; it is over when it is done or has failed. */
function run(program: string, environment: Record<string, string>) {
  const child = spawn(python, [join(folder, program)], { env: { ...process.env, ...environment } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const done = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((exit) => child.once("close", exit)),
  ]);
  return { child, done };
}

async function tokens() {
  const now = new Date();
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role: "member", passwordHash: "" }, now);
  await createUser(user);
  const token = async (scope: TokenScope) => {
    const secret = newSecret();
    await createApiToken(newApiToken({ name: scope, scope, expiresInDays: 1 }, secret, user, now));
    return secret;
  };
  return { id, producer: await token("producer"), reader: await token("reader") };
}

it.skipIf(!hasGrpcio)("the programs of the README send and read each item once over lines that break", async () => {
  const { id, producer, reader } = await tokens();
  const metrics = new Metrics(new ByteBudget(1024 * 1024));
  const runs = new StoredRuns({ ownerId: "python", bytesMax: 64 * 1024 * 1024, metrics });
  const { port } = await serve({ GRPC_AUTHENTICATION: "on" }, runs);
  const seed = Date.now() % 100_000;
  console.log(`cuts: seed ${seed}`);
  const random = randomFrom(seed);
  const cut = (connection: number) => (connection < 2 ? 200 + random() * 700 : Number.POSITIVE_INFINITY);
  const [toLearner, toActor] = [await cuttingLine(port, cut), await cuttingLine(port, cut)];
  onTestFinished(() => [toLearner, toActor].forEach((line) => void line.close()));
  const addresses = { LEARNER: `127.0.0.1:${toLearner.port}`, ACTOR: `127.0.0.1:${toActor.port}` };

  const expected: string[] = [];
  const runId = runIdOf(id, "pick");
  const reading = run("reader.py", { ...addresses, SLUICE_TOKEN: reader });
  // Two lives of the actor, one after the other.
  for (const life of ["first", "second"]) {
    const sending = run("actor.py", { ...addresses, SLUICE_TOKEN: producer });
    const lines = Array.from({ length: 40 }, (_, n) => `${life} ${n}`.padEnd(10 + random() * 300, "."));
    sending.child.stdin.end(lines.map((line) => `${line}\n`).join(""));
    expect((await sending.done).slice(1)).toEqual(["", 0]);
    expected.push(...lines);
  }
  expect((await allItems(runId)).map(textOf)).toEqual(expected);
  await closeRun(runId, new Date());
  const [output, complaints, code] = await reading.done;
  expect([complaints, code]).toEqual(["", 0]);
  expect(output.trimEnd().split("\n")).toEqual(expected.map((line, offset) => `${offset} ${line}`));
  expect([toLearner.cuts, toActor.cuts]).toEqual([2, 2]);
});

it.skipIf(!hasGrpcio)("a wrong token ends the actor at once, with the reason", async () => {
  const { reader } = await tokens();
  const metrics = new Metrics(new ByteBudget(1024 * 1024));
  const { port } = await serve(
    { GRPC_AUTHENTICATION: "on" },
    new StoredRuns({ ownerId: "python", bytesMax: 1e6, metrics }),
  );
  const { child, done } = run("actor.py", { LEARNER: `127.0.0.1:${port}`, SLUICE_TOKEN: reader });
  child.stdin.end("never stored\n");
  const [, complaints, code] = await done;
  expect([code, complaints]).toEqual([1, expect.stringContaining("PERMISSION_DENIED")]);
});
