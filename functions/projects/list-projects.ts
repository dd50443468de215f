import * as z from "zod";
import { projectIdsOf } from "../members/member-store.ts";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { ProjectView } from "./project.ts";
import { projectViews } from "./project-owners.ts";
import * as projects from "./project-store.ts";

export const listProjects = operation(
  {
    method: "GET",
    path: "/projects",
    summary: "List the projects that the caller created or is a member of, newest first",
    auth: "user",
    query: page().extend({ include_deleted: z.stringbool().default(false) }),
    success: z.array(ProjectView),
    failures: [],
    grants: { reads: ["project", "member", "user"], indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const options = { ...query, includeDeleted: query.include_deleted };
    const { items, total } = await projects.listProjects(caller.id, await projectIdsOf(caller.id), options);
    return listReply(await projectViews(items, caller), total);
  },
);
