import { writeIssues } from "../issues/issue-store.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Project } from "../projects/project.ts";
import { createProject, findProject, replaceProject } from "../projects/project-store.ts";
import { ended } from "../scans/task.ts";
import { changeTask, createRestoredTask, findTask } from "../scans/task-store.ts";
import type { FileIssue, FileProject, FileTask } from "./database-file.ts";
import { importedEnd, importedIssue, importedProject, importedTask, type NewIds } from "./imported-records.ts";

/** A project of a file with all that belongs to it there. */
export interface Brought {
  readonly row: FileProject;
  readonly tasks: readonly { readonly row: FileTask; readonly id: string; readonly issues: readonly FileIssue[] }[];
}

/**
 * Writes a project with its tasks and issues. Every write is conditional and every id is given, so it may be repeated after it stopped
 * anywhere, and two at a time do each other no harm. A task is running while its issues are written, by the very functions that a scan
 * writes its own with: counters are right at every moment, and a project that is deleted meanwhile takes all of it along.
 * @returns false when `until` has come first and another call has to go on
 * @throws SluiceError project_in_recycle_bin when its user has put it there meanwhile
 */
export async function bringProject(
  { row, tasks }: Brought,
  id: string,
  ownerId: string,
  ids: NewIds,
  now: () => Date,
  until: Date,
): Promise<boolean> {
  const project = await ensureProject(importedProject(row, id, ownerId), now());
  // It goes into the recycle bin as the last step, so this is a repetition of that.
  const binned = !row.is_active && !project.isActive;
  for (const task of binned ? [] : tasks) {
    if (now() >= until) return false;
    await bringTask(task, project, ids, now()).catch((error) => {
      // Its user has cancelled it, or another request has brought it to its end: it is as it should be.
      if (!isSluiceError(error, "task_superseded")) throw error;
    });
  }
  if (!row.is_active && project.isActive) await toRecycleBin(project, now());
  return true;
}

async function toRecycleBin(project: Project, at: Date): Promise<void> {
  await replaceProject(project, { ...project, isActive: false }, at).catch(async (error) => {
    // Another request was faster, or its user, who may also have deleted it for good.
    if ((await findProject(project.id))?.isActive) throw error;
  });
}

async function ensureProject(project: Project, at: Date): Promise<Project> {
  const known = await findProject(project.id);
  if (known) return known;
  try {
    await createProject(project, at);
    return project;
  } catch (error) {
    // The answer was lost and the SDK asked again, or another request was faster.
    const made = await findProject(project.id);
    if (!made) throw error;
    return made;
  }
}

async function bringTask({ row, id, issues }: Brought["tasks"][number], project: Project, ids: NewIds, at: Date) {
  const known = await findTask(id);
  if (known && ended(known.status)) return;
  const task = known ?? importedTask(row, id, project);
  if (!known)
    await createRestoredTask(task, at).catch(async (error) => {
      if (isSluiceError(error) || !(await findTask(id))) throw error;
    });
  const wanted = issues.map((issue) => importedIssue(issue, id, project.ownerId, ids));
  await writeIssues(task, wanted, at);
  await changeTask(id, { from: ["running"], attempt: task.attempt, set: importedEnd(row, wanted.length), at });
}
