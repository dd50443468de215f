import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "./authorise.ts";
import { ProjectView, projectView } from "./project.ts";
import { ownerOf } from "./project-owners.ts";

export const readProject = operation(
  {
    method: "GET",
    path: "/projects/{id}",
    summary: "Show a project",
    auth: "user",
    params: z.object({ id: Id }),
    success: ProjectView,
    failures: ["project_not_found"],
    grants: { reads: ["project", "member", "user"] },
  },
  async ({ params, caller }) => {
    const project = await authorise(caller, "read", params.id);
    return projectView(project, await ownerOf(project, caller));
  },
);
