import { scryptSync } from "node:crypto";
import { expect, it } from "vitest";
import {
  hashPassword,
  isOutdated,
  passwordMatches,
  unmatchableHash,
  workToMakeUp,
} from "../../functions/users/password.ts";

it("matches the password it was made from and no other, in every Unicode form", async () => {
  const hash = await hashPassword("pässwörd ①");
  expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
  expect(await passwordMatches("pässwörd ①".normalize("NFD"), hash)).toBe(true);
  expect(await passwordMatches("passwörd ①", hash)).toBe(false);
});

it("reads the parameters from the hash, so that older hashes stay good", async () => {
  const salt = Buffer.from("0123456789abcdef");
  const old = scryptSync("secret word", salt, 32, { N: 2 ** 14, r: 8, p: 1 });
  const hash = `$scrypt$ln=14,r=8,p=1$${salt.toString("base64")}$${old.toString("base64")}`;
  expect(await passwordMatches("secret word", hash)).toBe(true);
  expect(isOutdated(hash)).toBe(true);
  expect(isOutdated(await hashPassword("secret word"))).toBe(false);
});

it("does as much work for an older hash as for a current one, so that its owner's address does not stand out", () => {
  for (let ln = 10; ln <= 17; ln++) {
    const work = workToMakeUp(ln).reduce((sum, more) => sum + 2 ** more, 2 ** ln);
    expect(work).toBe(2 ** 17);
  }
});

it.each([unmatchableHash, "", "plain", "$scrypt$ln=x$$"])("matches nothing against %o", async (hash) => {
  expect(await passwordMatches("", hash)).toBe(false);
});
