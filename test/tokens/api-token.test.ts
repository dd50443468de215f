import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenScopes } from "../../functions/platform/contract.ts";
import { idOf, isApiTokenSecret, isLive, newApiToken, newSecret, permits } from "../../functions/tokens/api-token.ts";

const owner = { id: "0198a000-0000-7000-8000-000000000001", tokenVersion: 1 };
const at = new Date("2026-02-28T23:59:59Z");
const token = (secret: string, expiresInDays = 1) =>
  newApiToken({ name: "CI", scope: "read", expiresInDays }, secret, owner, at);

describe("a secret", () => {
  it("has a prefix, 256 random bits and a checksum, and is another one each time", () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) {
      expect(secret).toMatch(/^slc_[\w-]{49}$/);
      expect(isApiTokenSecret(secret)).toBe(true);
    }
  });

  // A fixed one: tokens that are out in the world must stay recognisable to us and to scanners, whatever we change.
  it("keeps its form from release to release", () => {
    const body = `slc_${Buffer.alloc(32, 7).toString("base64url")}`;
    expect(isApiTokenSecret(`${body}mNRu5A`)).toBe(true);
    expect(idOf(`${body}mNRu5A`)).toBe("4d8c52b3-d012-87bb-8d3b-46c78aebb067");
  });

  it("is not recognised with any one character changed, cut or added", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    fc.assert(
      fc.property(fc.nat({ max: 52 }), fc.constantFrom(...alphabet), (index, character) => {
        const secret = newSecret();
        const changed = `${secret.slice(0, index)}${character}${secret.slice(index + 1)}`;
        expect(isApiTokenSecret(changed)).toBe(changed === secret);
        expect(isApiTokenSecret(secret.slice(0, index))).toBe(false);
        expect(isApiTokenSecret(`${secret}${character}`)).toBe(false);
      }),
    );
  });
});

describe("a token", () => {
  it("has an id that is a UUID and follows from the secret, and keeps no secret", () => {
    const secret = newSecret();
    expect(token(secret).id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(idOf(secret)).toBe(token(secret).id);
    expect(JSON.stringify(token(secret))).not.toContain(secret.slice(4, 20));
  });

  it("is live for its own secret until the second it expires", () => {
    const secret = newSecret();
    const expires = new Date("2026-03-01T23:59:59Z").getTime();
    expect(isLive(token(secret), secret, at)).toBe(true);
    expect(isLive(token(secret), secret, new Date(expires - 1))).toBe(true);
    expect(isLive(token(secret), secret, new Date(expires))).toBe(false);
    expect(isLive(token(secret), newSecret(), at)).toBe(false);
  });
});

it("each scope is good for what it says and nothing else", () => {
  const allowed = tokenScopes.flatMap((given) =>
    tokenScopes.filter((needed) => permits(given, needed)).map((needed) => `${given}>${needed}`),
  );
  const all = ["all>read", "all>scan", "all>all", "all>producer", "all>learner", "all>reader"];
  const machines = ["producer>producer", "learner>learner", "learner>reader", "reader>reader"];
  expect(allowed).toEqual(["read>read", "scan>read", "scan>scan", ...all, ...machines]);
});
