import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import type { issueToken } from "../../functions/platform/issue-token.ts";
import type { verifyToken } from "../../functions/platform/tokens.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { invokeOperation } from "../support/invoke-operation.ts";

const claims = { userId: "0198a000-0000-7000-8000-000000000000", tokenVersion: 1 };
const start = new Date("2026-12-31T22:00:00Z");
const later = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const minutes = 1 / 60;

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  for (const keyId of ["tokens-1", "tokens-2"])
    await data.kms.ensureKey({ keyId, spec: "ECC_NIST_P256", usage: "SIGN_VERIFY" });
  await pointAliasAt("tokens-1");
});
afterAll(() => data.stop());

const pointAliasAt = (keyId: string) => data.kms.ensureAlias(environment().SIGNING_KEY_ALIAS, keyId);

/** What a function that starts now has in memory: nothing. */
async function freshFunction(): Promise<{ issueToken: typeof issueToken; verifyToken: typeof verifyToken }> {
  vi.resetModules();
  const [signing, verifying] = [
    await import("../../functions/platform/issue-token.ts"),
    await import("../../functions/platform/tokens.ts"),
  ];
  return { ...signing, ...verifying };
}

const jwks = async (at: Date) => invokeOperation("readJwks", { now: at });
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const kidsAt = async (at: Date) => (await jwks(at)).body.keys.map(({ kid }: { kid: string }) => kid).toSorted();

it("rotates the signing key without signing anybody out, and lets the old key go when its tokens are gone", async () => {
  const [signer, verifier] = [await freshFunction(), await freshFunction()];
  const first = await signer.issueToken(claims, start);
  expect(await verifier.verifyToken(first, start)).toEqual(claims);
  expect(await kidsAt(start)).toEqual([kidOf(first)]);

  await pointAliasAt("tokens-2");
  // A running function notices after a few minutes; one that starts, at once.
  expect(kidOf(await signer.issueToken(claims, later(2 * minutes)))).toBe(kidOf(first));
  const second = await signer.issueToken(claims, later(6 * minutes));
  expect(kidOf(second)).not.toBe(kidOf(first));
  expect(kidOf(await (await freshFunction()).issueToken(claims, later(6 * minutes)))).toBe(kidOf(second));

  // Both count, in functions that knew the old key only and in new ones.
  for (const { verifyToken } of [verifier, await freshFunction()]) {
    expect(await verifyToken(first, later(7))).toEqual(claims);
    expect(await verifyToken(second, later(7))).toEqual(claims);
  }
  expect(await kidsAt(later(7))).toEqual([kidOf(first), kidOf(second)].toSorted());

  // The longest life that a token could have had is eight days; the old key counts that long and then no more.
  expect(await kidsAt(later(8 * 24))).toContain(kidOf(first));
  expect(await kidsAt(later(8 * 24 + 2))).toEqual([kidOf(second)]);
});

it("goes back to an earlier key just as well, and never lets the one that signs expire", async () => {
  await pointAliasAt("tokens-1");
  const back = await (await freshFunction()).issueToken(claims, later(24));
  await pointAliasAt("tokens-2");
  const signer = await freshFunction();
  await signer.issueToken(claims, later(25));
  // A function of the old deployment starts late and makes its key the current one again ...
  await pointAliasAt("tokens-1");
  await (await freshFunction()).issueToken(claims, later(25));
  await pointAliasAt("tokens-2");
  // ... until one of the new deployment looks again.
  const token = await signer.issueToken(claims, later(25 + 6 * minutes));
  expect(kidOf(token)).not.toBe(kidOf(back));
  expect(await kidsAt(later(20 * 24))).toEqual([kidOf(token)]);
});

it("stops counting the tokens of a key that was taken out of the table, within minutes", async () => {
  const signer = await freshFunction();
  const token = await signer.issueToken(claims, start);
  expect(await signer.verifyToken(token, start)).toEqual(claims);
  const { keys, table } = await import("../../functions/platform/table.ts");
  const { DeleteCommand } = await import("@aws-sdk/lib-dynamodb");
  const Key = keys.signingKey(kidOf(token) as string);
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key }));
  expect(await signer.verifyToken(token, later(6 * minutes))).toBeNull();
});

it("keeps signing with the key at hand while the new one cannot be reached", async () => {
  const signer = await freshFunction();
  const token = await signer.issueToken(claims, start);
  await pointAliasAt("tokens-1");
  await data.kms.call("DisableKey", { KeyId: "tokens-1" });
  expect(kidOf(await signer.issueToken(claims, later(1)))).toBe(kidOf(token));
  await data.kms.call("EnableKey", { KeyId: "tokens-1" });
  expect(kidOf(await signer.issueToken(claims, later(1)))).not.toBe(kidOf(token));
});

it("publishes the keys in the form that any verifier reads, cacheable and without anything private", async () => {
  const token = await (await freshFunction()).issueToken(claims, start);
  const { status, headers, body } = await jwks(start);
  expect({ status, headers }).toMatchObject({ status: 200, headers: { "Cache-Control": "public, max-age=300" } });
  for (const key of body.keys)
    expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  const { payload } = await jwtVerify(token, createLocalJWKSet(body), { audience: "sluice-api", currentDate: start });
  expect(payload.sub).toBe(claims.userId);
});
