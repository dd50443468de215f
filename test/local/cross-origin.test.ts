import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnService, startOwnService } from "../support/own-service.ts";

const front = "https://app.test";
let service: OwnService;
beforeAll(async () => {
  service = await startOwnService({ corsOrigins: `${front}, http://localhost:5173/` });
});
afterAll(() => service?.stop());

const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1${path}`, { method, headers });
const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));

describe("a page of another origin", () => {
  it.each([
    ["/projects/", "POST"],
    ["/users/me", "PUT"],
    ["/auth/login", "POST"],
    ["/tasks/x/issues/y", "PATCH"],
  ])("may ask before it calls %s, without a token", async (path, method) => {
    for (const origin of [front, "http://localhost:5173"]) {
      const asked = { Origin: origin, "Access-Control-Request-Method": method };
      const reply = await ask(path, "OPTIONS", asked);
      expect(reply.status).toBe(204);
      expect(corsOf(reply)).toEqual({
        vary: "Origin",
        "access-control-allow-origin": origin,
        "access-control-allow-methods": expect.stringContaining(method),
        "access-control-allow-headers": expect.stringMatching(/Authorization.*Content-Type/),
        "access-control-max-age": "7200",
      });
    }
  });

  it("reads answers, refusals and what the gateway itself refuses", async () => {
    const Authorization = `Bearer ${await service.token()}`;
    const replies = [
      await ask("/projects/", "GET", { Origin: front, Authorization }),
      await ask("/projects/", "GET", { Origin: front }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
    for (const reply of replies)
      expect(corsOf(reply)).toEqual({
        vary: "Origin",
        "access-control-allow-origin": front,
        "access-control-expose-headers": expect.stringContaining("X-Total-Count"),
      });
    const missing = await ask("/nowhere", "GET", { Origin: front });
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
  });

  it.each(["https://evil.test", "https://app.test.evil.test", "http://app.test", "null", "https://APP.test"])(
    "that nobody has named is allowed nothing: %s",
    async (origin) => {
      for (const method of ["OPTIONS", "GET"])
        expect(corsOf(await ask("/projects/", method, { Origin: origin }))).toEqual({ vary: "Origin" });
    },
  );
});
