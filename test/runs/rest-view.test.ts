import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasAlready } from "../../functions/platform/conditional-request.ts";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { environment } from "../../functions/platform/environment.ts";
import { getJson, getObject, s3 } from "../../functions/platform/object-store.ts";
import { compactRun } from "../../functions/runs/compaction.ts";
import { crc32c } from "../../functions/runs/crc32c.ts";
import { pushParameters } from "../../functions/runs/parameter-store.ts";
import { applyRetention } from "../../functions/runs/retention.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { ensureRun, setRetention } from "../../functions/runs/run-store.ts";
import { decodeSegment } from "../../functions/runs/segment.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Invocation, invokeOperation } from "../support/invoke-operation.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

/** The present, because the embedded table deletes what expired by its own clock. */
const at = new Date(Math.floor(Date.now() / 1000) * 1000);
const call = (name: string, sent: Invocation) => invokeOperation(name, { now: at, ...sent });

async function person(role: User["role"] = "member", scope: TokenScope = "all", name: string | null = null) {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role, passwordHash: "" }, at);
  await createUser(user);
  const token = newSecret();
  const run = name === null ? null : { id: runIdOf(id, name), name };
  await createApiToken(newApiToken({ name: "t", scope, run, expiresInDays: 1 }, token, user, at));
  return { id, token };
}

/** One item for each time, each in a segment of its own. @param secondsAgo falling */
async function runWith(tenant: string, secondsAgo: readonly number[], name = "run"): Promise<string> {
  const { id } = await ensureRun(tenant, name, at);
  let now = at.getTime();
  const log = await openRunLog(id, { ownerId: "a", clock: { now: () => now, after: () => () => {} } });
  for (const [n, seconds] of secondsAgo.entries()) {
    now = at.getTime() - 1000 * seconds;
    await log.append({ kind: n % 2 ? "interaction" : "transition", payload: Buffer.from(`item ${n}`) });
  }
  await log.close();
  return id;
}

describe("the list of runs", () => {
  it("holds the caller's, newest first, and for administrators those of nobody", async () => {
    const [owner, administrator] = [await person(), await person("admin")];
    for (const [index, name] of ["first", "second", "third"].entries())
      await ensureRun(owner.id, name, new Date(at.getTime() + index));
    await ensureRun(anonymousTenant, "default", at);
    await ensureRun(administrator.id, "own", new Date(at.getTime() + 1));
    const page = await call("listRuns", { token: owner.token, query: { skip: "1", limit: "1" } });
    expect([page.body.map(({ name }: { name: string }) => name), page.headers["X-Total-Count"]]).toEqual([
      ["second"],
      "3",
    ]);
    const all = await call("listRuns", { token: administrator.token });
    expect(all.body.map(({ name }: { name: string }) => name)).toEqual(["own", "default"]);
  });
});

describe("a run", () => {
  it("does not exist for others, administrators among them", async () => {
    const owner = await person();
    const id = await runWith(owner.id, [0]);
    const operations = ["readRunDetails", "listRunItems", "exportRun", "readLatestParameters", "closeRun"];
    for (const { token } of [await person(), await person("admin")])
      for (const name of operations)
        expect(await call(name, { token, params: { id } })).toMatchObject({
          status: 404,
          body: { code: "run_not_found" },
        });
    expect((await call("readRunDetails", { token: owner.token, params: { id } })).body.status).toBe("open");
  });

  it("shows what it holds and how fast it grew", async () => {
    const { id: tenant, token } = await person("member", "reader");
    const id = await runWith(tenant, [7200, 3000, 2000, 50, 10, 0]);
    const { body } = await call("readRunDetails", { token, params: { id } });
    expect(body).toMatchObject({
      first_offset: 0,
      next_offset: 6,
      items: { transitions: 3, interactions: 3 },
      payload_bytes: { transitions: 18, interactions: 18 },
      parameters: null,
    });
    expect(body.rates.last_minute).toMatchObject({
      seconds: 60,
      transitions_per_second: 1 / 60,
      interactions_per_second: 2 / 60,
    });
    expect(body.rates.last_hour).toMatchObject({
      seconds: 3600,
      transitions_per_second: 2 / 3600,
      interactions_per_second: 3 / 3600,
    });
    expect(body.rates.last_hour.bytes_per_second * 3600).toBeCloseTo((5 * body.stored_bytes) / 6, 6);
  });

  it("says a rate only of the time that it still knows", async () => {
    const { id: tenant, token } = await person();
    const id = await runWith(tenant, [3000, 2000, 50, 10]);
    await setRetention(id, { ageSeconds: 100, bytes: null });
    expect(await applyRetention(id, at)).toBe(2);
    const { body } = await call("readRunDetails", { token, params: { id } });
    expect(body.rates.last_hour).toMatchObject({ seconds: 50, transitions_per_second: 1 / 50 });
  });

  it("is all that a token for one run reaches, and nothing tells whether there are others", async () => {
    const { id: tenant, token } = await person("member", "learner", "pick");
    const [own, other] = [await runWith(tenant, [0], "pick"), await runWith(tenant, [0], "place")];
    const answers = [
      await call("readRunDetails", { token, params: { id: own } }),
      await call("readRunDetails", { token, params: { id: other } }),
      await call("closeRun", { token, params: { id: uuid() } }),
      await call("listRuns", { token }),
    ];
    const refused = [403, "token_run_insufficient"];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      refused,
      refused,
      refused,
    ]);
  });

  it("is closed by who trains with it, not by who only reads", async () => {
    const reader = await person("member", "reader");
    const params = { id: await runWith(reader.id, [0]) };
    expect(await call("closeRun", { token: reader.token, params })).toMatchObject({
      status: 403,
      body: { code: "token_scope_insufficient" },
    });
    const learner = await person("member", "learner");
    const own = { id: await runWith(learner.id, [0]) };
    for (const now of [at, new Date(at.getTime() + 5000)])
      expect(await call("closeRun", { token: learner.token, params: own, now })).toMatchObject({
        status: 200,
        body: { status: "closed", closed_at: at.toISOString() },
      });
  });
});

/** Every page of a run, as a client goes through them. */
async function pagesOf(token: string, id: string, query: Record<string, string>, end: number) {
  const pages = [];
  for (let from = 0; from < end; ) {
    const { status, body } = await call("listRunItems", {
      token,
      params: { id },
      query: { ...query, from: `${from}` },
    });
    expect([status, body.next_offset > from]).toEqual([200, true]);
    pages.push(body);
    from = body.next_offset;
  }
  return pages;
}

describe("the items of a run", () => {
  it("come in pages, without a gap, as they were sent", async () => {
    const { id: tenant, token } = await person("member", "reader");
    const id = await runWith(tenant, [9, 8, 7, 6, 5]);
    const pages = await pagesOf(token, id, { limit: "2" }, 5);
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ items }) => items)).toEqual(
      [9, 8, 7, 6, 5].map((seconds, n) => ({
        offset: n,
        kind: n % 2 ? "interaction" : "transition",
        time: new Date(at.getTime() - 1000 * seconds).toISOString(),
        producer: "",
        bytes: 6,
        crc32c: crc32c(Buffer.from(`item ${n}`)),
        payload: Buffer.from(`item ${n}`).toString("base64"),
      })),
    );
    const end = await call("listRunItems", { token, params: { id }, query: { from: "5" } });
    expect(end.body).toEqual({ items: [], next_offset: 5, damaged: null });
    const beyond = await call("listRunItems", { token, params: { id }, query: { from: "6" } });
    expect(beyond).toMatchObject({ status: 409, body: { code: "run_offset_not_kept" } });
  });

  it("fill no answer beyond what Lambda sends, and one that is too large alone is told without its bytes", async () => {
    const { id: tenant, token } = await person();
    const { id } = await ensureRun(tenant, "big", at);
    const log = await openRunLog(id, { ownerId: "a" });
    const sizes = [1_500_000, 1_500_000, 1_500_000, 3_145_728, 3_145_729, 0];
    for (const size of sizes) await log.append({ kind: "transition", payload: Buffer.alloc(size, "x") });
    await log.close();
    const pages = await pagesOf(token, id, {}, sizes.length);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(6_000_000);
    const items = pages.flatMap((page) => page.items);
    expect(items.map(({ bytes }) => bytes)).toEqual(sizes);
    const left = items.filter(({ payload }) => payload === null);
    expect(left.map(({ offset }) => offset)).toEqual([4]);
    expect((await pagesOf(token, id, { data: "false" }, sizes.length)).length).toBe(1);
  });

  it("that are damaged are told as such, and what is behind them comes all the same", async () => {
    const { id: tenant, token } = await person();
    const id = await runWith(tenant, [3, 2, 1]);
    const Bucket = environment().RESULTS_BUCKET;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `runs/${id}/segments/` }));
    await s3.send(new PutObjectCommand({ Bucket, Key: Contents[1]?.Key, Body: "short" }));
    const pages = await pagesOf(token, id, {}, 3);
    expect(pages.map(({ items, damaged }) => [items.length, damaged])).toEqual([
      [1, { from_offset: 1, to_offset: 2 }],
      [1, null],
    ]);
  });
});

describe("the export of a run", () => {
  it("holds every segment and says so, over as many calls as it takes, each of which may be repeated", async () => {
    const { id: tenant, token } = await person("member", "learner");
    const id = await runWith(tenant, [5, 4, 3, 2, 1]);
    const bucket = environment().RESULTS_BUCKET;
    const named: { key: string; first_offset: number; bytes: number }[] = [];
    let json: object = { segments_max: 2 };
    for (const [end, complete] of [
      [2, false],
      [4, false],
      [5, true],
    ] as const) {
      const first = await call("exportRun", { token, params: { id }, json });
      expect(first).toMatchObject({ status: 200, body: { bucket, next_offset: end, complete } });
      const { stamp, prefix, manifest, from } = first.body;
      const again = await call("exportRun", { token, params: { id }, json: { stamp, from, segments_max: 2 } });
      expect(again.body).toEqual(first.body);
      const { segments } = (await getJson<{ segments: typeof named }>({ bucket, key: manifest }))!;
      named.push(...segments.map((segment) => ({ ...segment, key: prefix + segment.key })));
      json = { stamp, from: end, segments_max: 2 };
    }
    expect(named.map(({ first_offset }) => first_offset)).toEqual([0, 1, 2, 3, 4]);
    for (const { key, first_offset, bytes } of named) {
      const copy = (await getObject({ bucket, key })) as Buffer;
      expect(copy.length).toBe(bytes);
      const { header, records } = decodeSegment(copy);
      expect([header, records.map(({ payload }) => payload.toString())]).toEqual([
        { runId: id, first: first_offset },
        [`item ${first_offset}`],
      ]);
    }
  });

  it("goes on behind what it has, also when its end has become part of a larger segment meanwhile", async () => {
    const { id: tenant, token } = await person();
    const id = await runWith(tenant, [5, 4, 3, 2, 1]);
    const first = await call("exportRun", { token, params: { id }, json: { segments_max: 2 } });
    const { stamp, prefix, bucket, next_offset: from } = first.body;
    expect(await compactRun(id, new Date(at.getTime() + 86_400_000))).toEqual({ before: 5, after: 1 });
    const second = await call("exportRun", { token, params: { id }, json: { stamp, from } });
    expect(second).toMatchObject({ status: 200, body: { from: 2, next_offset: 5, segments: 1, complete: true } });
    const { segments } = (await getJson<{ segments: object[] }>({ bucket, key: second.body.manifest }))!;
    expect(segments).toMatchObject([{ first_offset: 2, count: 3, transitions: 2, interactions: 1 }]);
    const copy = (await getObject({ bucket, key: `${prefix}segments/${"2".padStart(20, "0")}` })) as Buffer;
    expect(decodeSegment(copy).records.map(({ payload }) => payload.toString())).toEqual([
      "item 2",
      "item 3",
      "item 4",
    ]);
  });

  it("refuses to begin where nothing is, and stamps that lead elsewhere", async () => {
    const { id: tenant, token } = await person();
    const params = { id: await runWith(tenant, [5, 4]) };
    const stamp = "20260101T000000000Z";
    expect(await call("exportRun", { token, params, json: { stamp, from: 3 } })).toMatchObject({
      status: 409,
      body: { code: "run_offset_not_kept" },
    });
    for (const json of [{ stamp: "../../scans", from: 0 }, { stamp }, { from: 0 }])
      expect((await call("exportRun", { token, params, json })).status).toBe(422);
  });
});

describe("the newest parameters", () => {
  it("come as bytes with a tag, and once", async () => {
    const { id: tenant, token } = await person("member", "reader");
    const { id } = await ensureRun(tenant, "run", at);
    const params = { id };
    expect(await call("readLatestParameters", { token, params })).toMatchObject({
      status: 404,
      body: { code: "run_parameters_none" },
    });
    const weights = Buffer.alloc(4 * 1024 * 1024, 0xfe);
    await pushParameters(id, weights, at);
    const first = await call("readLatestParameters", { token, params });
    expect([first.status, first.headers.ETag, first.headers["Content-Type"]]).toEqual([
      200,
      '"1"',
      "application/octet-stream",
    ]);
    expect(weights.equals(first.body)).toBe(true);
    const again = await call("readLatestParameters", { token, params, headers: { "If-None-Match": 'W/"0", "1"' } });
    expect([again.status, again.body.length, again.headers.ETag]).toEqual([304, 0, '"1"']);
    await pushParameters(id, Buffer.from("newer"), at);
    const newer = await call("readLatestParameters", { token, params, headers: { "If-None-Match": '"1"' } });
    expect([newer.status, newer.body.toString(), newer.headers.ETag]).toEqual([200, "newer", '"2"']);
  });

  it("beyond what an answer holds are a link, whose tag is good for the next request", async () => {
    const { id: tenant, token } = await person();
    const { id } = await ensureRun(tenant, "run", at);
    const weights = Buffer.alloc(4 * 1024 * 1024 + 1, 7);
    await pushParameters(id, weights, at);
    const { status, headers } = await call("readLatestParameters", { token, params: { id } });
    expect(status).toBe(302);
    const followed = await fetch(String(headers.Location));
    expect(weights.equals(Buffer.from(await followed.arrayBuffer()))).toBe(true);
    const known = { "If-None-Match": followed.headers.get("etag") as string };
    expect((await call("readLatestParameters", { token, params: { id }, headers: known })).status).toBe(304);
    await pushParameters(id, weights.fill(8), at);
    expect((await call("readLatestParameters", { token, params: { id }, headers: known })).status).toBe(302);
  });
});

it.each([
  [undefined, false],
  ["*", true],
  ['"7"', true],
  ['W/"7"', true],
  ['"6", "7"', true],
  ['"77"', false],
  ["7", false],
  ["", false],
])("If-None-Match %s", (given, expected) => {
  expect(hasAlready(given, '"7"')).toBe(expected);
});
