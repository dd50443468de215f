import * as z from "zod";
import type { Project } from "../projects/project.ts";
import { type User, UserBrief, userBrief } from "../users/user.ts";

/** Least first: each role may do what those before it may. */
export const MemberRole = z.enum(["viewer", "member", "admin", "owner"]);
export type MemberRole = z.infer<typeof MemberRole>;

/** Somebody who works on a project of somebody else. Who created the project is its owner without such a record. */
export const Member = z.object({
  projectId: z.uuid(),
  userId: z.uuid(),
  /** Who created the project. */
  ownerId: z.uuid(),
  role: MemberRole,
  /** JSON as text that front ends keep here; what somebody may do follows from the role alone. */
  permissions: z.string(),
  joinedAt: z.iso.datetime(),
  version: z.number().int(),
});
export type Member = z.infer<typeof Member>;

export const MemberView = z.object({
  /** The user's id: somebody is a member of a project once. */
  id: z.string(),
  project_id: z.string(),
  user_id: z.string(),
  role: MemberRole,
  permissions: z.string(),
  joined_at: z.string(),
  created_at: z.string(),
  user: UserBrief.nullable(),
});

/** `user` is null when the account is gone. */
export const memberView = (member: Member, user: User | null): z.input<typeof MemberView> => ({
  id: member.userId,
  project_id: member.projectId,
  user_id: member.userId,
  role: member.role,
  permissions: member.permissions,
  joined_at: member.joinedAt,
  created_at: member.joinedAt,
  user: user && userBrief(user),
});

/** Who created a project, as a row of its members. */
export const creatorOf = (project: Project): Member => ({
  projectId: project.id,
  userId: project.ownerId,
  ownerId: project.ownerId,
  role: "owner",
  permissions: "{}",
  joinedAt: project.createdAt,
  version: 1,
});
