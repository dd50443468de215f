import * as z from "zod";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { ProjectView, projectView } from "./project.ts";
import * as projects from "./project-store.ts";

export const listProjects = operation(
  {
    method: "GET",
    path: "/projects",
    summary: "List the caller's projects, newest first",
    auth: "user",
    query: page(),
    success: z.array(ProjectView),
    failures: [],
    grants: { reads: ["project"], indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const { items, total } = await projects.listProjects(caller.id, { active: true, ...query });
    return listReply(
      items.map((project) => projectView(project, caller)),
      total,
    );
  },
);
