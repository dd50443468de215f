import { generateKeyPairSync, sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { rawSignature } from "../../functions/platform/issue-token.ts";

it("turns KMS's DER signatures into the raw form of JOSE, whatever their length", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Lengths vary with the leading zeros and sign bits of r and s; 300 signatures meet all common cases.
  for (let i = 0; i < 300; i++) {
    const message = Buffer.from(`message ${i}`);
    const raw = rawSignature(sign("sha256", message, privateKey));
    expect(raw).toHaveLength(64);
    expect(verify("sha256", message, { key: publicKey, dsaEncoding: "ieee-p1363" }, raw)).toBe(true);
  }
});
