import * as z from "zod";
import { findMember, projectIdsOf, removeMember } from "../members/member-store.ts";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { deleteApiTokensOf } from "../tokens/api-token-store.ts";
import { keepAdministrator } from "./keep-administrator.ts";
import { administrates } from "./user.ts";
import * as users from "./user-store.ts";

export const deleteUser = operation(
  {
    method: "DELETE",
    path: "/users/{id}",
    summary: "Delete a user who owns no project; administrators cannot delete themselves",
    auth: "administrator",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["user_not_found", "stale_version", "user_owns_projects", "cannot_delete_self", "permission_denied"],
    grants: {
      reads: ["user", "member"],
      writes: [
        "user",
        "email",
        "userDirectory",
        "statistics",
        "member",
        "userConfig",
        "sshKey",
        "knownHosts",
        "apiToken",
        "apiTokenUse",
      ],
      indexes: ["gsi1"],
    },
    messages: "zh",
  },
  async ({ params, caller }) => {
    if (params.id === caller.id) throw new SluiceError("cannot_delete_self");
    const user = await users.readUser(params.id);
    if (user && administrates(user))
      await keepAdministrator(user, caller, (witness) => users.deleteUser(user, witness));
    else if (user) await users.deleteUser(user);
    // Also for a user who is gone: an earlier try may have ended right here.
    await deleteApiTokensOf(params.id);
    await leaveProjects(params.id);
    if (!user) throw new SluiceError("user_not_found");
    return { message: "用户已删除" };
  },
);

async function leaveProjects(userId: string): Promise<void> {
  for (const projectId of await projectIdsOf(userId)) {
    const member = await findMember(projectId, userId);
    if (member) await removeMember(member);
  }
}
