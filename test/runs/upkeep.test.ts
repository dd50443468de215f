import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { ensureRun, requireRun } from "../../functions/runs/run-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { workflowTasks } from "../../functions/workflow-tasks.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { invokeOperation } from "../support/invoke-operation.ts";

// Faults are for our code to see, not for the SDK to hide.
process.env.AWS_MAX_ATTEMPTS = "1";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(async () => {
  data.gateway.planFault = () => undefined;
  await data.clearTable();
});

const now = new Date(Math.floor(Date.now() / 1000) * 1000);
const tomorrow = new Date(now.getTime() + 86_400_000);
const night = () => workflowTasks.runs.tendRuns.handle({} as never, () => tomorrow);

async function person(scope: TokenScope = "learner") {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role: "member", passwordHash: "" }, now);
  await createUser(user);
  const token = newSecret();
  await createApiToken(newApiToken({ name: "t", scope, expiresInDays: 1 }, token, user, now));
  return { id, token };
}

/** Ten items of a minute each, the last of them just now. */
async function runOf(tenant: string, name: string): Promise<string> {
  const { id } = await ensureRun(tenant, name, now);
  let at = now.getTime() - 10 * 60_000;
  const log = await openRunLog(id, { ownerId: "a", clock: { now: () => at, after: () => () => {} } });
  for (let n = 0; n < 10; n++) {
    at += 60_000;
    await log.append({ kind: "transition", payload: Buffer.alloc(100) });
  }
  await log.close();
  return id;
}

const patch = (token: string, id: string, json: object) =>
  invokeOperation("updateRun", { token, params: { id }, json, now });

describe("how long a run is kept", () => {
  it("is said by its owner and done in the night, in which all runs are put together", async () => {
    const owner = await person();
    const [limited, whole, nobodys] = await Promise.all([
      runOf(owner.id, "limited"),
      runOf(owner.id, "whole"),
      runOf(anonymousTenant, "default"),
    ]);
    const age_seconds = 86_400 + 5 * 60;
    const answer = await patch(owner.token, limited, { retention: { age_seconds, bytes: null } });
    expect(answer).toMatchObject({ status: 200, body: { retention: { age_seconds, bytes: null }, first_offset: 0 } });
    expect(await night()).toMatchObject({ runs: 3, failed: 0 });
    expect((await requireRun(limited)).first).toBe(4);
    expect(await verifyRun(limited)).toMatchObject({ items: 6, defects: [] });
    for (const id of [whole, nobodys])
      expect(await verifyRun(id)).toMatchObject({ segments: 1, items: 10, defects: [] });
  });

  it("is for whoever trains with the run to say, in limits that make sense", async () => {
    const [owner, reader] = [await person(), await person("reader")];
    const id = await runOf(owner.id, "run");
    const retention = { age_seconds: 3600, bytes: null };
    expect((await patch((await person()).token, id, { retention })).status).toBe(404);
    expect((await patch(reader.token, id, { retention })).status).toBe(403);
    for (const json of [
      {},
      { retention: {} },
      { retention: { age_seconds: 59, bytes: null } },
      { retention, name: "x" },
    ])
      expect((await patch(owner.token, id, json)).status).toBe(422);
    expect((await patch(owner.token, id, { retention: { age_seconds: null, bytes: null } })).status).toBe(200);
  });

  it("does not depend on other runs: one that cannot be tended fails the night and keeps nobody from it", async () => {
    const ids = await Promise.all(["a", "b", "c"].map((name) => runOf(anonymousTenant, name)));
    let broken = "";
    const error = new AwsError("InternalServerError", "We encountered an internal error. Please try again.", 500);
    data.gateway.planFault = ({ permissions }) => {
      const written = permissions
        .find(({ action }) => action === "s3:PutObject")
        ?.resource.match(/runs\/([^/]+)\//)?.[1];
      if (written) broken ||= written;
      return written && written === broken ? { when: "before", error } : undefined;
    };
    await expect(night()).rejects.toThrow("1 of 3 runs");
    data.gateway.planFault = () => undefined;
    for (const id of ids) {
      const segments = id === broken ? 10 : 1;
      expect(await verifyRun(id)).toMatchObject({ segments, items: 10, defects: [] });
    }
    expect(await night()).toMatchObject({ failed: 0, compacted: 10 });
  });
});
