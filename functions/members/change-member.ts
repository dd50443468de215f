import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { readUser } from "../users/user-store.ts";
import { authoriseMember } from "./authorise-member.ts";
import { MemberRole, MemberView, memberView } from "./member.ts";
import { replaceMember } from "./member-store.ts";

export const changeMember = operation(
  {
    method: "PUT",
    path: "/projects/{id}/members/{member_id}",
    summary: "Change the role of a member; only an owner makes or unmakes owners",
    auth: "user",
    params: z.object({ id: Id, member_id: Id }),
    body: z.object({ role: MemberRole, permissions: z.string().max(2000) }).partial(),
    success: MemberView,
    failures: ["project_not_found", "permission_denied", "member_not_found", "project_owner_fixed", "stale_version"],
    grants: { reads: ["project", "member", "user"], writes: ["member"] },
  },
  async ({ params, body, caller }) => {
    const member = await authoriseMember(caller, params.id, params.member_id, body.role);
    const stored = await replaceMember({
      ...member,
      role: body.role ?? member.role,
      permissions: body.permissions ?? member.permissions,
    });
    return memberView(stored, await readUser(stored.userId));
  },
);
