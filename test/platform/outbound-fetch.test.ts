import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OutboundFetchProps, outboundFetch } from "../../functions/platform/outbound-fetch.ts";
import { clientFor, type LoopbackModel, saying, startLoopbackModel } from "../llm/loopback-model.ts";

let server: LoopbackModel;
beforeAll(async () => {
  server = await startLoopbackModel();
});
afterAll(() => server.stop());

const fetchWith = (props: Partial<OutboundFetchProps> = {}) =>
  outboundFetch(clientFor(server.url), { deadlineAt: performance.now() + 10_000, bytesMax: 1000, ...props });

describe("a fetch for libraries", () => {
  it("sends method, headers and body and brings status, body and the headers that libraries read", async () => {
    server.answer = saying(429, { a: 1 }, { "retry-after": "3", "x-other": "left out" });
    const headers = new Headers({ "X-Key": "k", "content-type": "application/json" });
    const answer = await fetchWith()(new URL("/a?b=c", server.url), { method: "post", headers, body: '{"q":1}' });
    expect(server.received.at(-1)).toMatchObject({ url: "/a?b=c", headers: { "x-key": "k" }, body: { q: 1 } });
    expect([answer.status, answer.ok, await answer.json()]).toEqual([429, false, { a: 1 }]);
    expect(Object.fromEntries(answer.headers)).toEqual({ "content-type": "application/json", "retry-after": "3" });
  });

  it("takes statuses that have no body, and refuses those that are none", async () => {
    server.answer = (_, response) => response.writeHead(204).end();
    expect((await fetchWith()(server.url)).status).toBe(204);
    server.answer = (_, response) => response.writeHead(999).end();
    await expect(fetchWith()(server.url)).rejects.toMatchObject({ code: "outbound_unreachable" });
  });

  it("ends at its deadline, which several requests share, and at the limit of bytes", async () => {
    server.answer = () => undefined;
    const over = fetchWith({ deadlineAt: performance.now() - 1 });
    await expect(over(server.url)).rejects.toMatchObject({ code: "outbound_timeout" });
    server.answer = saying(200, "x".repeat(1001));
    await expect(fetchWith()(server.url)).rejects.toMatchObject({ code: "outbound_too_large" });
  });

  it("ends when its caller says so, with the caller's reason, at any moment", async () => {
    const reason = new Error("cancelled");
    const early = AbortSignal.abort(reason);
    await expect(fetchWith()(server.url, { signal: early })).rejects.toBe(reason);
    for (const begins of [false, true]) {
      const controller = new AbortController();
      server.answer = (_, response) => {
        if (begins) response.writeHead(200).write("first");
        controller.abort(reason);
      };
      await expect(fetchWith()(server.url, { signal: controller.signal })).rejects.toBe(reason);
    }
  });

  it("does not repeat a key that is no header's value", async () => {
    const sent = fetchWith()(server.url, { headers: { authorization: "Bearer sk-钥匙" } });
    await expect(sent).rejects.toMatchObject({ code: "outbound_credentials_malformed" });
    await expect(sent).rejects.not.toThrow("sk-");
  });

  it("says what it does not know instead of guessing", async () => {
    await expect(fetchWith()(new Request(server.url))).rejects.toThrow(TypeError);
    await expect(fetchWith()(server.url, { method: "POST", body: new FormData() })).rejects.toThrow(TypeError);
  });
});
