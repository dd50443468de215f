import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";
import { ask } from "./extension-client.ts";
import { reflect } from "./reflection-client.ts";
import { serve } from "./served.ts";

// The faults below are for our code to see, not for the SDK to hide.
process.env.AWS_MAX_ATTEMPTS = "1";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const withTokens = { GRPC_AUTHENTICATION: "on" };

async function callerWith(scope: TokenScope) {
  const user = await storedUser();
  const secret = newSecret();
  await createApiToken(newApiToken({ name: "x", scope, expiresInDays: 1 }, secret, user, new Date()));
  return { tenant: user.id, values: { authorization: `Bearer ${secret}` } };
}

describe("RunService", () => {
  it("lists the runs of the caller, newest first, page by page, and nobody else's", async () => {
    const { client } = await serve(withTokens);
    const { tenant, values } = await callerWith("reader");
    const stranger = await callerWith("reader");
    for (let n = 0; n < 5; n++) await ensureRun(tenant, `run-${n}`, new Date(Date.UTC(2026, 0, 1, 0, n)));
    const names: string[] = [];
    const sizes: number[] = [];
    for (let page_token = "", isLast = false; !isLast; ) {
      const { answer } = await ask(client, "RunService/ListRuns", { page_size: 2, page_token }, values);
      names.push(...answer.runs.map(({ name }: { name: string }) => name));
      sizes.push(answer.runs.length);
      page_token = answer.next_page_token;
      isLast = page_token === "";
    }
    expect(names).toEqual(["run-4", "run-3", "run-2", "run-1", "run-0"]);
    expect(sizes).toEqual([2, 2, 1]);
    expect((await ask(client, "RunService/ListRuns", {}, stranger.values)).answer.runs).toEqual([]);
  });

  it("says what a run holds, and ends it for writers and readers", async () => {
    const { client } = await serve(withTokens);
    const { tenant, values } = await callerWith("learner");
    const { id } = await ensureRun(tenant, "arm", new Date("2026-01-01T00:00:00Z"));
    const log = await openRunLog(id, { ownerId: "a" });
    await log.append({ kind: "transition", payload: Buffer.from("t") });
    await log.append({ kind: "interaction", payload: Buffer.from("i") });
    const { answer } = await ask(client, "RunService/GetRun", { name: "arm" }, values);
    const created_ms = Date.parse("2026-01-01T00:00:00Z");
    expect(answer).toMatchObject({ id: runIdOf(tenant, "arm"), name: "arm", status: "RUN_STATUS_OPEN", created_ms });
    expect(answer).toMatchObject({ first_offset: 0, next_offset: 2, transitions: 1, interactions: 1, closed_ms: 0 });
    const closed = (await ask(client, "RunService/CloseRun", { name: "arm" }, values)).answer;
    expect(closed).toMatchObject({ status: "RUN_STATUS_CLOSED", next_offset: 2 });
    expect(await ask(client, "RunService/CloseRun", { name: "arm" }, values)).toMatchObject({
      code: status.OK,
      answer: { closed_ms: closed.closed_ms },
    });
    await expect(log.append({ kind: "transition", payload: Buffer.from("late") })).rejects.toMatchObject({
      code: "run_closed",
    });
    await log.close().catch(() => undefined);
  });

  it("refuses what it cannot do, each with its status", async () => {
    const { client } = await serve(withTokens);
    const reader = await callerWith("reader");
    const producer = await callerWith("producer");
    await ensureRun(reader.tenant, "mine", new Date());
    const codeOf = async (method: string, request: object, values?: Record<string, string>) =>
      (await ask(client, method, request, values)).code;
    expect(await codeOf("RunService/ListRuns", {})).toBe(status.UNAUTHENTICATED);
    expect(await codeOf("RunService/ListRuns", {}, producer.values)).toBe(status.PERMISSION_DENIED);
    expect(await codeOf("RunService/CloseRun", { name: "mine" }, reader.values)).toBe(status.PERMISSION_DENIED);
    expect(await codeOf("RunService/GetRun", { name: "none" }, reader.values)).toBe(status.NOT_FOUND);
    expect(await codeOf("RunService/GetRun", { name: "a/b" }, reader.values)).toBe(status.INVALID_ARGUMENT);
    expect(await codeOf("RunService/ListRuns", { page_size: 1001 }, reader.values)).toBe(status.INVALID_ARGUMENT);
    const rubbish = await client.unary("/hil_serl_ext.v1.RunService/GetRun", Buffer.from([0x0a, 9]), reader.values);
    expect(rubbish.code).toBe(status.INVALID_ARGUMENT);
    expect(await codeOf("RunService/GetRun", { name: "mine" }, reader.values)).toBe(status.OK);
    data.gateway.planFault = () => ({ when: "before", error: new AwsError("InternalServerError", "Internal", 500) });
    const failing = await codeOf("RunService/GetRun", { name: "mine" }, reader.values);
    data.gateway.planFault = () => undefined;
    expect(failing).toBe(status.UNAVAILABLE);
  });

  it.each(["v1", "v1alpha"] as const)("is shown by reflection %s", async (version) => {
    const { client } = await serve();
    const { services, file } = await reflect(client, version, "hil_serl_ext.v1.RunService");
    expect(services).toContain("hil_serl_ext.v1.RunService");
    for (const name of ["ListRuns", "CloseRun", "next_page_token"]) expect(file).toContain(name);
  });
});
