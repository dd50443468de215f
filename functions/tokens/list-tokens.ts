import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { ApiTokenView, apiTokenView } from "./api-token.ts";
import { listApiTokens } from "./api-token-store.ts";

export const listTokens = operation(
  {
    method: "GET",
    path: "/users/me/tokens",
    summary: "List the signed-in user's API tokens, newest first, without their secrets",
    auth: "user",
    // A token that leaked must not show which others there are.
    scope: "all",
    success: z.array(ApiTokenView),
    failures: [],
    grants: { reads: ["apiTokenUse"], indexes: ["gsi1"] },
    messages: "zh",
  },
  async ({ caller, now }) =>
    (await listApiTokens(caller, now())).map(({ token, lastUsedAt }) => apiTokenView(token, lastUsedAt)),
);
