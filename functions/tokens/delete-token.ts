import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { deleteApiToken } from "./api-token-store.ts";

export const deleteToken = operation(
  {
    method: "DELETE",
    path: "/users/me/tokens/{id}",
    summary: "End an API token at once",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["token_not_found"],
    grants: { writes: ["apiToken", "apiTokenUse"] },
    messages: "zh",
  },
  async ({ params, caller }) => {
    await deleteApiToken(caller.id, params.id);
    return { message: "API 令牌已删除" };
  },
);
