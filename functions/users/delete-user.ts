import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { keepAdministrator } from "./keep-administrator.ts";
import { administrates } from "./user.ts";
import * as users from "./user-store.ts";

export const deleteUser = operation(
  {
    method: "DELETE",
    path: "/users/{id}",
    summary: "Delete a user; administrators cannot delete themselves",
    auth: "administrator",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["user_not_found", "user_changed", "cannot_delete_self", "permission_denied"],
    grants: { reads: ["user"], writes: ["user", "email", "userDirectory"] },
    messages: "zh",
  },
  async ({ params, caller }) => {
    if (params.id === caller.id) throw new SluiceError("cannot_delete_self");
    const user = await users.requireUser(params.id);
    if (administrates(user)) await keepAdministrator(user, caller, (witness) => users.deleteUser(user, witness));
    else await users.deleteUser(user);
    return { message: "用户已删除" };
  },
);
