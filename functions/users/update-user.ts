import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { keepAdministrator } from "./keep-administrator.ts";
import { hashPassword } from "./password.ts";
import { administrates, UserView, userView } from "./user.ts";
import { changeUser, named, UserChanges } from "./user-changes.ts";
import { replaceUser, requireUser } from "./user-store.ts";

export const updateUser = operation(
  {
    method: "PUT",
    path: "/users/{id}",
    summary: "Change a user; fields that are left out stay as they are",
    auth: "administrator",
    params: z.object({ id: Id }),
    body: named(UserChanges),
    success: UserView,
    failures: [
      "user_not_found",
      "email_in_use",
      "stale_version",
      "cannot_disable_self",
      "last_administrator",
      "permission_denied",
    ],
    grants: { reads: ["user", "userDirectory"], writes: ["user", "email", "userDirectory"] },
    messages: "zh",
    // As for login: scrypt.
    memoryMiB: 1769,
  },
  async ({ params, body, caller, now }) => {
    if (params.id === caller.id && body.is_active === false) throw new SluiceError("cannot_disable_self");
    const before = await requireUser(params.id);
    const passwordHash = body.password && (await hashPassword(body.password));
    const after = changeUser(before, body, passwordHash, now());
    const stored =
      administrates(before) && !administrates(after)
        ? await keepAdministrator(before, caller, (witness) => replaceUser(before, after, witness))
        : await replaceUser(before, after);
    return userView(stored);
  },
);
