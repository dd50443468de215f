import * as z from "zod";
import { operation, Reply } from "../platform/operation.ts";
import { readVerificationKeys } from "../platform/signing-keys.ts";

/** RFC 7517; exactly the members of a public P-256 key, so that nothing else ever gets out. */
const PublicKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal("ES256"),
  use: z.literal("sig"),
});

/** Long enough to spare us the traffic, short enough for a verifier to see a new key before it gives up on a token. */
const cacheSeconds = 300;

export const readJwks = operation(
  {
    method: "GET",
    path: "/.well-known/jwks.json",
    root: true,
    summary: "Show the public keys that verify access tokens",
    auth: "anyone",
    success: z.object({ keys: z.array(PublicKey) }),
    failures: [],
    grants: { reads: ["signingKey"] },
  },
  async ({ now }) => {
    const found = await readVerificationKeys(now());
    // The operation's schema picks the members; what the table holds is wider.
    const body = { keys: found.map(({ jwk }) => PublicKey.parse(jwk)) };
    return new Reply(body, { "Cache-Control": `public, max-age=${cacheSeconds}` });
  },
);
