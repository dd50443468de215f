import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { UserView, userView } from "./user.ts";
import { requireUser } from "./user-store.ts";

export const readUser = operation(
  {
    method: "GET",
    path: "/users/{id}",
    summary: "Show a user",
    auth: "administrator",
    params: z.object({ id: Id }),
    success: UserView,
    failures: ["user_not_found"],
    grants: { reads: ["user"] },
    messages: "zh",
  },
  async ({ params }) => userView(await requireUser(params.id)),
);
