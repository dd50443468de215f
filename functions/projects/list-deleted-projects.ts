import * as z from "zod";
import { projectIdsOf } from "../members/member-store.ts";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { ProjectView } from "./project.ts";
import { projectViews } from "./project-owners.ts";
import * as projects from "./project-store.ts";

export const listDeletedProjects = operation(
  {
    method: "GET",
    path: "/projects/deleted",
    summary: "List the caller's projects in the recycle bin, last deleted first",
    auth: "user",
    query: page(),
    success: z.array(ProjectView),
    failures: [],
    grants: { reads: ["project", "member", "user"], indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const deleted = await projects.listDeletedProjects(caller.id, await projectIdsOf(caller.id));
    const rows = deleted.slice(query.skip, query.skip + query.limit);
    return listReply(await projectViews(rows, caller), deleted.length);
  },
);
