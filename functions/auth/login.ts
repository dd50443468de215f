import * as z from "zod";
import { SluiceError } from "../platform/errors.ts";
import { issueToken } from "../platform/issue-token.ts";
import { operation } from "../platform/operation.ts";
import { isOutdated, passwordBytes, passwordMatches, unmatchableHash } from "../users/password.ts";
import type { User } from "../users/user.ts";
import { readUser, readUserByEmail } from "../users/user-store.ts";
import { countFailure, forgive, readFailures } from "./login-failure-store.ts";
import { subjectsOf, waitSeconds } from "./login-throttle.ts";
import { upgradeHash } from "./upgrade-hash.ts";

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
    failures: ["login_failed", "login_throttled"],
    grants: {
      reads: ["email", "user", "loginFailures", "signingKey"],
      writes: ["user", "loginFailures", "signingKey"],
      signTokens: true,
    },
    messages: "zh",
    attempt: { emailField: "username", failures: ["login_failed"] },
    // scrypt needs 128 MiB and a whole vCPU to finish in half a second.
    memoryMiB: 1769,
    // Also the most guesses that can be under way before the first of them is counted.
    reservedConcurrency: 10,
  },
  async ({ body, identify, sourceAddress, now }) => {
    const subjects = subjectsOf(body.username, sourceAddress);
    const [account, address] = await Promise.all([
      readFailures(subjects.account, now()),
      readFailures(subjects.address, now()),
    ]);
    const retryAfterSeconds = Math.max(waitSeconds(account, now()), waitSeconds(address, now()));
    if (retryAfterSeconds > 0) throw new SluiceError("login_throttled", { retryAfterSeconds });

    const user = await whoSignsIn(body.username, body.password);
    if (!user) {
      await Promise.all([countFailure(account, now()), countFailure(address, now())]);
      throw new SluiceError("login_failed");
    }
    await forgive(account, address);
    if (isOutdated(user.passwordHash)) await upgradeHash(user, body.password);
    identify(user.id);
    const token = await issueToken({ userId: user.id, tokenVersion: user.tokenVersion }, now());
    return { access_token: token, token_type: "bearer" as const };
  },
);

/** No user has this id. */
const nobody = "00000000-0000-0000-0000-000000000000";

/** One answer, the same reads and the same hashing for unknown, wrong and disabled: who has an account here is nobody's business. */
async function whoSignsIn(email: string, password: string): Promise<User | null> {
  const user = (await readUserByEmail(email)) ?? (await readUser(nobody));
  const matches = await passwordMatches(password, user?.passwordHash ?? unmatchableHash);
  return user && matches && user.isActive ? user : null;
}
