import * as z from "zod";
import { forgetExports } from "../database/export-store.ts";
import { forgetImports } from "../database/import-store.ts";
import { forgetInstantAnalyses } from "../instant/instant-analysis-store.ts";
import { findMember, projectIdsOf, removeMember } from "../members/member-store.ts";
import { Id } from "../platform/contract.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { deletePrefix } from "../platform/object-store.ts";
import { operation } from "../platform/operation.ts";
import { forgetOverrides } from "../platform/override-store.ts";
import { deleteTemplatesOf } from "../prompts/prompt-template-store.ts";
import { deleteRuleSetsOf } from "../rules/rule-set-store.ts";
import { eraseRunsOf } from "../runs/erase-runs.ts";
import { reviewsFolder } from "../scans/review-cache.ts";
import { forgetMonthsOf } from "../spending/forget-spending.ts";
import { deleteApiTokensOf } from "../tokens/api-token-store.ts";
import { keepAdministrator } from "./keep-administrator.ts";
import { administrates } from "./user.ts";
import * as users from "./user-store.ts";

/** Leaves time for the rest before the gateway gives up; what is left of many runs is erased in the night. */
const runsMilliseconds = 10_000;

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
      reads: ["user", "member", "ruleSet", "override", "instantAnalysis", "spending", "databaseImport", "run"],
      writes: [
        ...(["user", "email", "userDirectory", "statistics", "userConfig", "sshKey", "knownHosts"] as const),
        ...(["apiToken", "apiTokenUse", "member"] as const),
        ...(["promptTemplate", "ruleSet", "override", "instantAnalysis", "spending", "databaseImport"] as const),
        "run",
      ],
      indexes: ["gsi1"],
      results: {
        lists: ["reviews/*", "exports/database/*", "runs/*", "exports/runs/*"],
        deletes: ["reviews/*", "exports/database/*", "runs/*", "exports/runs/*"],
      },
    },
    messages: "zh",
  },
  async ({ params, caller, now }) => {
    if (params.id === caller.id) throw new SluiceError("cannot_delete_self");
    const user = await users.readUser(params.id);
    if (user && administrates(user))
      await keepAdministrator(user, caller, (witness) => users.deleteUser(user, witness));
    else if (user) await users.deleteUser(user);
    // Also for a user who is gone: an earlier try may have ended right here.
    await deleteApiTokensOf(params.id);
    await leaveProjects(params.id);
    await forgetWorkOf(params.id);
    await eraseRunsOf(params.id, now(), AbortSignal.timeout(runsMilliseconds));
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

/** What the user has written, switched, pasted and paid for. */
async function forgetWorkOf(userId: string): Promise<void> {
  await deleteTemplatesOf(userId);
  await deleteRuleSetsOf(userId);
  await forgetOverrides(userId);
  await forgetInstantAnalyses(userId);
  await forgetMonthsOf(userId);
  await forgetImports(userId);
  await deletePrefix(environment().RESULTS_BUCKET, reviewsFolder(userId));
  await forgetExports(userId);
}
