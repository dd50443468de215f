import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { readUser } from "../users/user-store.ts";
import { type Member, MemberRole, MemberView, memberView } from "./member.ts";
import * as members from "./member-store.ts";

export const addMember = operation(
  {
    method: "POST",
    path: "/projects/{id}/members",
    summary: "Let somebody work on a project; only an owner makes other owners",
    auth: "user",
    params: z.object({ id: Id }),
    body: z.object({ user_id: Id, role: MemberRole.default("member") }),
    success: MemberView,
    failures: ["project_not_found", "permission_denied", "user_not_found", "already_member"],
    grants: { reads: ["project", "member", "user"], writes: ["member"], checks: ["user"] },
    idempotent: true,
  },
  async ({ params, body, caller, now }) => {
    const project = await authorise(caller, body.role === "owner" ? "delete" : "manage", params.id);
    const user = await readUser(body.user_id);
    if (!user) throw new SluiceError("user_not_found");
    if (user.id === project.ownerId) throw new SluiceError("already_member");
    const member: Member = {
      projectId: project.id,
      userId: user.id,
      ownerId: project.ownerId,
      role: body.role,
      permissions: "{}",
      joinedAt: now().toISOString(),
      version: 1,
    };
    await members.addMember(member);
    return memberView(member, user);
  },
);
