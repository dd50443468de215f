import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { isAccessProblem, openRepository, providerGrants, repositoryOf } from "./project-repository.ts";

const Branches = z.object({
  /** The default branch first. */
  branches: z.array(z.string()),
  default_branch: z.string(),
  /** True when the repository has more branches than are listed. */
  truncated: z.boolean(),
  /** Why the provider could not be asked; the project's own default branch is then all there is. */
  error: z.string().optional(),
  /** The same for programs. */
  error_code: z.string().optional(),
});

export const listBranches = operation(
  {
    method: "GET",
    path: "/projects/{id}/branches",
    summary: "List the branches of a project's repository, the default one first",
    auth: "user",
    params: z.object({ id: Id }),
    success: Branches,
    failures: ["project_not_found", "project_not_repository"],
    grants: providerGrants,
  },
  async ({ params, caller, language }) => {
    const project = await authorise(caller, "read", params.id);
    const repository = repositoryOf(project);
    const own = { branches: [project.defaultBranch], default_branch: project.defaultBranch, truncated: false };
    try {
      const host = await openRepository(repository, caller.id);
      const { names, defaultBranch, truncated } = await host.branches();
      const first = names.includes(project.defaultBranch)
        ? project.defaultBranch
        : (defaultBranch ?? own.default_branch);
      const others = names.filter((name) => name !== first);
      return { branches: names.length > others.length ? [first, ...others] : others, default_branch: first, truncated };
    } catch (error) {
      if (!isAccessProblem(error)) throw error;
      return { ...own, error: error.text(language), error_code: error.code };
    }
  },
);
