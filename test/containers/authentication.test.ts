import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { actorAccess } from "../../containers/actor/actor-service.ts";
import { type Authenticate, byApiToken, type GrpcScope } from "../../containers/grpc/authentication.ts";
import { RpcError } from "../../containers/grpc/rpc-error.ts";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken, deleteApiToken } from "../../functions/tokens/api-token-store.ts";
import type { User } from "../../functions/users/user.ts";
import { replaceUser } from "../../functions/users/user-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";
import { ask } from "./extension-client.ts";
import { type Method, metadataOf } from "./plain-client.ts";
import { serve, serveWith } from "./served.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

async function tokenOf(user: User, scope: TokenScope, at = new Date(), name: string | null = null) {
  const run = name === null ? null : { id: runIdOf(user.id, name), name };
  const secret = newSecret();
  const token = newApiToken({ name: scope, scope, run, expiresInDays: 1 }, secret, user, at);
  await createApiToken(token);
  return { id: token.id, secret, metadata: { authorization: `Bearer ${secret}` } };
}

const withTokens = { GRPC_AUTHENTICATION: "on" };

describe("a call", () => {
  it.each([
    ["no token", {}],
    ["a token that nobody was given", { authorization: `Bearer ${newSecret()}` }],
    ["rubbish", { authorization: "Bearer x" }],
    ["another scheme", { authorization: "Basic YTpi" }],
  ])("with %s is UNAUTHENTICATED", async (_, metadata) => {
    const { client, runs } = await serve(withTokens);
    expect((await client.send("SendTransition", {}, metadata)).code).toBe(status.UNAUTHENTICATED);
    expect((await client.stream(metadata).ended).code).toBe(status.UNAUTHENTICATED);
    expect(runs.texts()).toEqual([]);
  });

  it.each<[TokenScope, Method[]]>([
    ["producer", ["SendTransition", "SendInteractionMessage"]],
    ["learner", ["SendParameters", "StreamTransition"]],
    ["reader", ["StreamTransition"]],
    ["all", ["SendTransition", "SendInteractionMessage", "SendParameters", "StreamTransition"]],
    ["read", []],
    ["scan", []],
  ])("with a token for %s may do that and is PERMISSION_DENIED for the rest", async (scope, allowed) => {
    const { client } = await serve(withTokens);
    const { metadata } = await tokenOf(await storedUser(), scope);
    const code = async (method: Method) => {
      if (method !== "StreamTransition") return (await client.send(method, {}, metadata)).code;
      const stream = client.stream(metadata);
      const began = stream.began.then(() => status.OK);
      return await Promise.race([stream.ended.then(({ code }) => code), began]).finally(() => stream.call.cancel());
    };
    for (const method of ["SendTransition", "SendInteractionMessage", "SendParameters", "StreamTransition"] as const)
      expect([method, await code(method)]).toEqual([
        method,
        allowed.includes(method) ? status.OK : status.PERMISSION_DENIED,
      ]);
  });

  it("goes to the runs of the token's user and nobody else's", async () => {
    const { client, runs } = await serve(withTokens);
    const [mine, theirs] = [await storedUser(), await storedUser()];
    const { metadata } = await tokenOf(mine, "all");
    await client.send("SendTransition", {}, metadata);
    expect(runs.run({ tenant: mine.id, name: "default" }).items).toHaveLength(1);
    expect(runs.run({ tenant: theirs.id, name: "default" }).items).toHaveLength(0);
  });

  it("with a token for one run goes to that run, named or not, and is PERMISSION_DENIED for others", async () => {
    const { client, runs } = await serve(withTokens);
    const user = await storedUser();
    const { metadata } = await tokenOf(user, "producer", new Date(), "pick");
    const named = (run: string) => client.send("SendTransition", {}, { ...metadata, "x-hil-run": run });
    expect((await client.send("SendTransition", {}, metadata)).code).toBe(status.OK);
    expect((await named("pick")).code).toBe(status.OK);
    for (const run of ["default", "place"]) expect((await named(run)).code).toBe(status.PERMISSION_DENIED);
    expect(runs.run({ tenant: user.id, name: "pick" }).items).toHaveLength(2);
    const reader = await tokenOf(user, "reader", new Date(), "pick");
    const foreign = client.stream({ ...reader.metadata, "x-hil-run": "place" });
    expect((await foreign.ended).code).toBe(status.PERMISSION_DENIED);
    // What goes over several runs needs a token for all.
    expect((await ask(client, "RunService/ListRuns", {}, reader.metadata)).code).toBe(status.PERMISSION_DENIED);
  });

  it("is refused before its body is read", async () => {
    const { client, program } = await serve(withTokens);
    const megabytes = { transition_bytes: Buffer.alloc(8 * 1024 * 1024) };
    expect((await client.send("SendTransition", megabytes)).code).toBe(status.UNAUTHENTICATED);
    const text = await (await fetch(`http://127.0.0.1:${program.metricsPort}/metrics`)).text();
    const received = Number(/hil_received_bytes_total\{[^}]*SendTransition"\} (\d+)/.exec(text)?.[1] ?? 0);
    expect(received).toBeLessThan(1024 * 1024);
  });

  it("is UNAVAILABLE when nobody can be looked up", async () => {
    const { client } = await serve(withTokens);
    const { metadata } = await tokenOf(await storedUser(), "producer");
    const error = new AwsError("AccessDeniedException", "planned", 400);
    data.gateway.planFault = () => ({ when: "before", error });
    onTestFinished(() => {
      data.gateway.planFault = () => undefined;
    });
    const answer = await client.send("SendTransition", {}, metadata);
    expect(answer).toMatchObject({ code: status.UNAVAILABLE, trailers: { "grpc-retry-pushback-ms": "1000" } });
  });
});

describe("a token", () => {
  const at = new Date("2026-03-01T12:00:00Z");
  const clock = { now: at };
  const authenticated = (authenticate: Authenticate, metadata: Record<string, string>, scope: GrpcScope = "producer") =>
    authenticate(metadataOf(metadata), scope).then(
      () => status.OK,
      (error: RpcError) => error.code,
    );
  const seconds = (count: number) => {
    clock.now = new Date(at.getTime() + count * 1000);
  };

  it("that was deleted is out after five seconds at the latest, and was looked up once until then", async () => {
    const authenticate = byApiToken(() => clock.now);
    seconds(0);
    const user = await storedUser();
    const { id, metadata } = await tokenOf(user, "producer", at);
    const burst = await Promise.all(Array.from({ length: 20 }, () => authenticated(authenticate, metadata)));
    expect(new Set(burst)).toEqual(new Set([status.OK]));
    await deleteApiToken(user.id, id);
    seconds(4.9);
    expect(await authenticated(authenticate, metadata)).toBe(status.OK);
    seconds(5);
    expect(await authenticated(authenticate, metadata)).toBe(status.UNAUTHENTICATED);
  });

  it("of a user who is disabled is out after five seconds too, for every scope", async () => {
    const authenticate = byApiToken(() => clock.now);
    seconds(0);
    const user = await storedUser();
    const { metadata } = await tokenOf(user, "all", at);
    expect(await authenticated(authenticate, metadata)).toBe(status.OK);
    await replaceUser(user, { ...user, isActive: false, tokenVersion: user.tokenVersion + 1 });
    seconds(5);
    for (const scope of ["producer", "learner", "reader"] as const)
      expect(await authenticated(authenticate, metadata, scope)).toBe(status.UNAUTHENTICATED);
  });

  it("that was refused is looked up again: it may have been made a moment ago", async () => {
    const authenticate = byApiToken(() => clock.now);
    seconds(0);
    const user = await storedUser();
    const secret = newSecret();
    const metadata = { authorization: `Bearer ${secret}` };
    expect(await authenticated(authenticate, metadata)).toBe(status.UNAUTHENTICATED);
    await createApiToken(newApiToken({ name: "x", scope: "producer", expiresInDays: 1 }, secret, user, at));
    expect(await authenticated(authenticate, metadata)).toBe(status.OK);
  });

  it("ends the second it expires, also when it is remembered", async () => {
    const authenticate = byApiToken(() => clock.now);
    const { metadata } = await tokenOf(await storedUser(), "producer", at);
    seconds(24 * 3600 - 1);
    expect(await authenticated(authenticate, metadata)).toBe(status.OK);
    seconds(24 * 3600);
    expect(await authenticated(authenticate, metadata)).toBe(status.UNAUTHENTICATED);
  });
});

describe("a stream that is open", () => {
  it("ends when its caller may not have it any more, with the offset to go on from", async () => {
    let refusal: RpcError | undefined;
    let refused = Promise.withResolvers<void>();
    const authenticate: Authenticate = async () => {
      if (!refusal) return { id: "t", tenant: "u", run: null };
      refused.resolve();
      throw refusal;
    };
    const { client } = await serveWith({ access: actorAccess, authenticate, recheckMilliseconds: 5 });
    const stream = client.stream();
    await stream.began;
    // Not being able to look does not take away what was given.
    refusal = new RpcError(status.UNAVAILABLE, "the table is away");
    await refused.promise;
    refused = Promise.withResolvers();
    await refused.promise;
    refusal = new RpcError(status.UNAUTHENTICATED, "revoked");
    expect(await stream.ended).toMatchObject({
      code: status.UNAUTHENTICATED,
      trailers: { "x-hil-next-offset": "0" },
    });
  });
});
