import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { keepAdministrator } from "./keep-administrator.ts";
import { administrates, UserView, userView } from "./user.ts";
import { changeUser } from "./user-changes.ts";
import { replaceUser, requireUser } from "./user-store.ts";

export const toggleUserStatus = operation(
  {
    method: "POST",
    path: "/users/{id}/toggle-status",
    summary: "Disable an enabled user, enable a disabled one; it counts from their next request on",
    auth: "administrator",
    params: z.object({ id: Id }),
    success: UserView,
    failures: ["user_not_found", "stale_version", "cannot_disable_self", "permission_denied"],
    grants: { reads: ["user"], writes: ["user", "userDirectory"] },
    messages: "zh",
    // A repeated toggle would undo the first.
    idempotent: true,
  },
  async ({ params, caller, now }) => {
    if (params.id === caller.id) throw new SluiceError("cannot_disable_self");
    const before = await requireUser(params.id);
    const after = changeUser(before, { is_active: !before.isActive }, undefined, now());
    const stored = administrates(before)
      ? await keepAdministrator(before, caller, (witness) => replaceUser(before, after, witness))
      : await replaceUser(before, after);
    return userView(stored);
  },
);
