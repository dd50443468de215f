import * as z from "zod";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { issueToken } from "../platform/tokens.ts";
import { passwordBytes, passwordMatches, unmatchableHash } from "../users/password.ts";
import { readUserByEmail } from "../users/user-store.ts";

export const login = operation(
  {
    method: "POST",
    path: "/auth/login",
    summary: "Exchange e-mail address and password for an access token",
    auth: "anyone",
    bodyType: "form",
    // The form of OAuth2's password grant, as existing clients send it.
    body: z.object({
      grant_type: z.literal("password").optional(),
      username: z.string().min(1).max(320),
      password: z.string().min(1).max(passwordBytes.max),
      scope: z.string().optional(),
      client_id: z.string().optional(),
      client_secret: z.string().optional(),
    }),
    success: z.object({ access_token: z.string(), token_type: z.literal("bearer") }),
    failures: ["login_failed"],
    grants: { reads: ["email", "user", "signingKey"], writes: ["signingKey"], signTokens: true },
    messages: "zh",
    // scrypt needs 128 MiB and a whole vCPU to finish in half a second.
    memoryMiB: 1769,
    reservedConcurrency: 10,
  },
  async ({ body, now }) => {
    const user = await readUserByEmail(body.username);
    // One answer and one cost for unknown, wrong and disabled: who has an account here is nobody's business.
    const matches = await passwordMatches(body.password, user?.passwordHash ?? unmatchableHash);
    if (!user || !matches || !user.isActive) throw new SluiceError("login_failed");
    const token = await issueToken({ userId: user.id, tokenVersion: user.tokenVersion }, now());
    return { access_token: token, token_type: "bearer" as const };
  },
);
