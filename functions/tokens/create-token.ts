import * as z from "zod";
import { runScopes, says } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { RunName, runIdOf } from "../runs/run-name.ts";
import {
  ApiTokenScope,
  ApiTokenView,
  apiTokenView,
  lifeDaysMax,
  newApiToken,
  newSecret,
  tokensPerUserMax,
} from "./api-token.ts";
import { createApiToken, listApiTokens } from "./api-token-store.ts";

export const createToken = operation(
  {
    method: "POST",
    path: "/users/me/tokens",
    summary: "Make an API token for a program; its secret is in this answer and never again",
    auth: "user",
    body: z
      .object({
        name: z.string().trim().min(1).max(100),
        scope: ApiTokenScope,
        /** The one run that a producer, learner or reader may reach; it need not exist yet. */
        run: RunName.nullish(),
        expires_in_days: z.int().min(1).max(lifeDaysMax).default(90),
      })
      .refine(({ scope, run }) => !run || runScopes.includes(scope), {
        path: ["run"],
        ...says(
          `只有权限范围为 ${runScopes.join("、")} 的令牌可以限定于一个运行`,
          `only tokens of the scopes ${runScopes.join(", ")} can be for one run`,
        ),
      }),
    success: ApiTokenView.extend({ token: z.string() }),
    failures: ["token_limit_reached"],
    grants: { reads: ["apiTokenUse"], writes: ["apiToken"], checks: ["user"], indexes: ["gsi1"] },
    messages: "zh",
    // Not idempotent: that would keep the answer, and with it the secret, in the table for a day.
  },
  async ({ body, caller, now }) => {
    const at = now();
    // Two at once may both pass. The limit keeps the list readable and guards nothing else.
    if ((await listApiTokens(caller, at)).length >= tokensPerUserMax) {
      throw new SluiceError("token_limit_reached", { limit: tokensPerUserMax });
    }
    const secret = newSecret();
    const run = body.run ? { id: runIdOf(caller.id, body.run), name: body.run } : null;
    const draft = { name: body.name, scope: body.scope, run, expiresInDays: body.expires_in_days };
    const token = newApiToken(draft, secret, caller, at);
    await createApiToken(token);
    return { ...apiTokenView(token, null), token: secret };
  },
);
