import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseMember } from "./authorise-member.ts";
import * as members from "./member-store.ts";

export const removeMember = operation(
  {
    method: "DELETE",
    path: "/projects/{id}/members/{member_id}",
    summary: "End a membership; everybody may end their own",
    auth: "user",
    params: z.object({ id: Id, member_id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["project_not_found", "permission_denied", "member_not_found", "project_owner_fixed", "stale_version"],
    grants: { reads: ["project", "member"], writes: ["member"] },
  },
  async ({ params, caller, language }) => {
    await members.removeMember(await authoriseMember(caller, params.id, params.member_id, "leaves"));
    return { message: language === "zh" ? "成员已移除" : "The member is removed" };
  },
);
