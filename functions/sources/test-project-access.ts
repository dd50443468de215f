import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { isAccessProblem, openRepository, providerGrants } from "./project-repository.ts";

const AccessResult = z.object({
  ok: z.boolean(),
  /** The code of what is wrong, for programs. */
  reason: z.string().nullable(),
  /** The same for people. */
  message: z.string().nullable(),
  branch: z.string(),
  /** The newest commit of that branch. */
  commit: z.string().nullable(),
});

export const testProjectAccess = operation(
  {
    method: "POST",
    path: "/projects/{id}/test-access",
    summary: "Try whether the caller's token reaches the repository and the default branch of a project",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    success: AccessResult,
    failures: ["project_not_found", "project_not_repository"],
    grants: providerGrants,
  },
  async ({ params, caller, language }) => {
    const project = await authorise(caller, "read", params.id);
    const branch = project.defaultBranch;
    try {
      const { commit } = await (await openRepository(project, caller.id)).head(branch);
      return { ok: true, reason: null, message: null, branch, commit };
    } catch (error) {
      // A negative result is an answer, not an error of this operation.
      if (!isAccessProblem(error)) throw error;
      return { ok: false, reason: error.code, message: error.text(language), branch, commit: null };
    }
  },
);
