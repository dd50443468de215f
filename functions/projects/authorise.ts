import { MemberRole } from "../members/member.ts";
import { findMember } from "../members/member-store.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import type { Task } from "../scans/task.ts";
import { findTask } from "../scans/task-store.ts";
import type { User } from "../users/user.ts";
import type { Project } from "./project.ts";
import { findProject } from "./project-store.ts";

/** What can be done with a project and everything in it: the least role for it, and whether a project in the recycle bin refuses it. */
const actions = {
  /** Look at the project, its members, files, tasks and issues. */
  read: { role: "viewer", activeOnly: false },
  /** Give verdicts on issues, stop tasks. */
  triage: { role: "member", activeOnly: false },
  /** Bring sources, start scans. */
  scan: { role: "member", activeOnly: true },
  /** Change settings and members. */
  manage: { role: "admin", activeOnly: false },
  /** Into the recycle bin, out of it, for good; and who else is an owner. */
  delete: { role: "owner", activeOnly: false },
} as const satisfies Record<string, { role: MemberRole; activeOnly: boolean }>;

export type Action = keyof typeof actions;

/** The least role for an action. */
export const roleFor = (action: Action): MemberRole => actions[action].role;

/** True for what a project in the recycle bin refuses. */
export const isActiveOnly = (action: Action): boolean => actions[action].activeOnly;

/**
 * The one way to a project: reads it for a caller who may do `action` with it. A system administrator has no special right here.
 * @throws SluiceError project_not_found when it does not exist or the caller has no part in it: one answer for both
 * @throws SluiceError permission_denied when the caller's role is too low
 * @throws SluiceError project_in_recycle_bin
 */
export async function authorise(caller: Pick<User, "id">, action: Action, projectId: string): Promise<Project> {
  const project = await findProject(projectId);
  const role = project && (await roleIn(project, caller.id));
  if (!role) throw new SluiceError("project_not_found");
  const needs = actions[action];
  if (rank(role) < rank(needs.role)) throw new SluiceError("permission_denied");
  if (needs.activeOnly && !project.isActive) throw new SluiceError("project_in_recycle_bin");
  return project;
}

/**
 * The same for a task and its issues, which belong to whom their project belongs to.
 * @throws SluiceError task_not_found, permission_denied, project_in_recycle_bin
 */
export async function authoriseTask(
  caller: Pick<User, "id">,
  action: Action,
  taskId: string,
): Promise<{ task: Task; project: Project }> {
  const task = await findTask(taskId);
  if (!task) throw new SluiceError("task_not_found");
  const project = await authorise(caller, action, task.projectId).catch((error) => {
    throw isSluiceError(error, "project_not_found") ? new SluiceError("task_not_found") : error;
  });
  return { task, project };
}

async function roleIn(project: Project, userId: string): Promise<MemberRole | null> {
  if (project.ownerId === userId) return "owner";
  return (await findMember(project.id, userId))?.role ?? null;
}

const rank = (role: MemberRole): number => MemberRole.options.indexOf(role);
