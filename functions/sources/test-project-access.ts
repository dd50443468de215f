import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { accessTestMs, isAccessProblem, openRepository, providerGrants, repositoryOf } from "./project-repository.ts";

const AccessResult = z.object({
  success: z.boolean(),
  /** "accessible", or the code of what is wrong, for programs. */
  code: z.string(),
  /** The same for people. */
  message: z.string(),
  branch: z.string(),
  /** The newest commit of that branch. */
  commit: z.string().nullable(),
});

const accessible = {
  zh: (branch: string) => `可以访问该仓库及其分支“${branch}”`,
  en: (branch: string) => `The repository and its branch “${branch}” can be read`,
};

export const testProjectAccess = operation(
  {
    method: "POST",
    path: "/projects/{id}/test-access",
    summary: "Try whether the caller's token or SSH key reaches the repository and the default branch of a project",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    success: AccessResult,
    failures: ["project_not_found", "project_not_repository"],
    grants: providerGrants,
  },
  async ({ params, caller, language }) => {
    const project = await authorise(caller, "read", params.id);
    const repository = repositoryOf(project);
    const { branch } = repository;
    try {
      const opened = await openRepository(repository, caller.id, accessTestMs);
      const { commit } = await opened.head(branch);
      return { success: true, code: "accessible", message: accessible[language](branch), branch, commit };
    } catch (error) {
      // A negative result is an answer, not an error of this operation.
      if (!isAccessProblem(error)) throw error;
      return { success: false, code: error.code, message: error.text(language), branch, commit: null };
    }
  },
);
