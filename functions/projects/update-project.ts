import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "./authorise.ts";
import { changedProject, ProjectPatch, ProjectView, projectView } from "./project.ts";
import { ownerOf } from "./project-owners.ts";
import { replaceProject } from "./project-store.ts";

export const updateProject = operation(
  {
    method: "PUT",
    path: "/projects/{id}",
    summary: "Change the settings of a project; what the body does not name stays as it is",
    auth: "user",
    params: z.object({ id: Id }),
    body: ProjectPatch,
    success: ProjectView,
    failures: ["project_not_found", "permission_denied", "stale_version"],
    grants: { reads: ["project", "member", "user"], writes: ["project", "statistics"] },
  },
  async ({ params, body, caller, now }) => {
    const project = await authorise(caller, "manage", params.id);
    const stored = await replaceProject(project, changedProject(project, body), now());
    return projectView(stored, await ownerOf(stored, caller));
  },
);
