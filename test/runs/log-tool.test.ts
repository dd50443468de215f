import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLog } from "../../bin/log/run-log.ts";
import { environment } from "../../functions/platform/environment.ts";
import { s3 } from "../../functions/platform/object-store.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { startOperationsServer } from "../support/operations-server.ts";

let data: EmbeddedData;
let service: Awaited<ReturnType<typeof startOperationsServer>>;
beforeAll(async () => {
  data = await startEmbeddedData();
  service = await startOperationsServer();
});
afterAll(async () => {
  await service.stop();
  await data.stop();
});

const now = () => new Date();

async function administrator() {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role: "admin", passwordHash: "" }, now());
  await createUser(user);
  const token = newSecret();
  await createApiToken(newApiToken({ name: "t", scope: "reader", expiresInDays: 1 }, token, user, now()));
  return { id, token };
}

/** Two items of each segment. */
async function runWith(tenant: string, name: string, segments: number): Promise<string> {
  const { id } = await ensureRun(tenant, name, now());
  const log = await openRunLog(id, { ownerId: "a" });
  for (let n = 0; n < segments; n++)
    await Promise.all([
      log.append({ kind: "transition", payload: Buffer.from(`step ${n}`), producer: "robot" }),
      log.append({ kind: "interaction", payload: Buffer.from(`talk ${n}`) }),
    ]);
  await log.close();
  return id;
}

async function log(token: string, ...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = [text(stdout), text(stderr)];
  const env = { SLUICE_TOKEN: token, LANG: "en_US.UTF-8" };
  const code = await runLog([...argv, "--url", service.url], {
    stdout,
    stderr,
    env,
    signal: new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const [out, err] = (await Promise.all(printed)) as [string, string];
  return {
    code,
    out,
    err,
    lines: () =>
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
}

describe("npm run log", () => {
  it("lists runs, and shows one by its name or id", async () => {
    const { id: tenant, token } = await administrator();
    const id = await runWith(tenant, "sim", 1);
    await runWith(anonymousTenant, "default", 1);
    const listed = await log(token, "ls");
    expect(
      listed
        .lines()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["default", "sim"]);
    for (const named of ["sim", id]) {
      const shown = await log(token, "ls", named);
      expect(shown.lines()).toMatchObject([{ id, next_offset: 2, rates: { last_hour: { seconds: 3600 } } }]);
    }
  });

  it("prints items, with their bytes when asked", async () => {
    const { id: tenant, token } = await administrator();
    await runWith(tenant, "sim", 3);
    const { code, lines } = await log(token, "cat", "sim");
    expect([code, lines().map(({ offset }) => offset)]).toEqual([0, [0, 1, 2, 3, 4, 5]]);
    expect(lines()[0]).toMatchObject({ kind: "transition", producer: "robot", bytes: 6 });
    expect(lines()[0]).not.toHaveProperty("payload");
    const some = (await log(token, "cat", "sim", "--from", "3", "--limit", "2", "--data")).lines();
    expect(some.map(({ payload }) => Buffer.from(payload, "base64").toString())).toEqual(["talk 1", "step 2"]);
  });

  it("finds a run whole, and says which items of a damaged one are lost", async () => {
    const { id: tenant, token } = await administrator();
    const id = await runWith(tenant, "sim", 3);
    const whole = await log(token, "verify", "sim");
    expect([whole.code, whole.lines()]).toEqual([
      0,
      [
        {
          id,
          name: "sim",
          first_offset: 0,
          next_offset: 6,
          transitions: 3,
          interactions: 3,
          payload_bytes: 36,
          checked_by_service_only: 0,
          defects: 0,
        },
      ],
    ]);
    const Bucket = environment().RESULTS_BUCKET;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `runs/${id}/segments/` }));
    await s3.send(new PutObjectCommand({ Bucket, Key: Contents[1]?.Key, Body: "short" }));
    const [, second] = Contents.map(({ Key }) => Number(Key?.split("/").at(-1)?.split(".")[0]));
    const broken = await log(token, "verify", "sim");
    const [defect, sum] = broken.lines();
    expect([broken.code, defect.from_offset, defect.problem, sum.defects]).toEqual([1, second, "damaged", 1]);
    expect(sum.transitions + sum.interactions).toBe(6 - (defect.to_offset - defect.from_offset));
    expect((await log(token, "cat", "sim")).code).toBe(1);
  });

  it("says in a sentence why it cannot look", async () => {
    const { id: tenant, token } = await administrator();
    await runWith(tenant, "default", 1);
    await runWith(anonymousTenant, "default", 1);
    for (const [argv, sentence] of [
      [["look"], /ls, cat or verify/],
      [["cat"], /Name the run/],
      [["ls", "a", "b"], /“b”/],
      [["ls", "--data"], /--data belongs to cat/],
      [["cat", "a", "--from", "-1"], /from/],
      [["cat", "nothing"], /No run is called “nothing”/],
      [["cat", "default"], /Several runs have this name/],
      [["cat", uuid()], /There is no such run/],
    ] as const) {
      const { code, out, err } = await log(token, ...argv);
      expect([argv, code, out]).toEqual([argv, 2, ""]);
      expect(err).toMatch(sentence);
    }
    expect(await log("wrong", "ls")).toMatchObject({ code: 2, out: "" });
    expect(await log(token, "--help")).toMatchObject({ code: 0, out: expect.stringContaining("verify <run>") });
  });
});
