import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { ProjectView, projectView } from "./project.ts";
import * as projects from "./project-store.ts";

export const readProject = operation(
  {
    method: "GET",
    path: "/projects/{id}",
    summary: "Show a project",
    auth: "user",
    params: z.object({ id: Id }),
    success: ProjectView,
    failures: ["project_not_found"],
    grants: { reads: ["project"] },
  },
  async ({ params, caller }) => projectView(await projects.readProject(caller.id, params.id), caller),
);
