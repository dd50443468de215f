import * as z from "zod";
import { Id, page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { readUser } from "../users/user-store.ts";
import { creatorOf, MemberView, memberView } from "./member.ts";
import * as members from "./member-store.ts";

export const listMembers = operation(
  {
    method: "GET",
    path: "/projects/{id}/members",
    summary: "List who works on a project, newest first; last who created it",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(),
    success: z.array(MemberView),
    failures: ["project_not_found"],
    grants: { reads: ["project", "member", "user"] },
  },
  async ({ params, query, caller }) => {
    const project = await authorise(caller, "read", params.id);
    const all = [...(await members.listMembers(project.id)), creatorOf(project)];
    const rows = all.slice(query.skip, query.skip + query.limit);
    const views = rows.map(async (member) => memberView(member, await readUser(member.userId)));
    return listReply(await Promise.all(views), all.length);
  },
);
