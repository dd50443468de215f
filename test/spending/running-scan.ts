import { v7 as uuid } from "uuid";
import { newProject } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { newTask } from "../../functions/scans/task.ts";
import { changeTask, createTask } from "../../functions/scans/task-store.ts";
import { type Caps, noCap } from "../../functions/spending/caps.ts";
import { costOf } from "../../functions/spending/cost.ts";
import type { Call } from "../../functions/spending/reservation.ts";
import { wholeZip } from "../support/scanned.ts";
import { storedUser } from "../support/stored-user.ts";

export const at = new Date("2026-11-21T08:00:00Z");

export const noCaps: Caps = { scan: noCap, project: noCap, month: noCap };

/** A task that runs, as the store has it. */
export async function runningScan(): Promise<{ userId: string; scan: NonNullable<Call["scan"]> }> {
  const { id: userId } = await storedUser();
  const draft = { name: "p", source_type: "zip", default_branch: "main", programming_languages: [] } as const;
  const project = newProject({ ...draft, programming_languages: [] }, uuid(), userId, at);
  await createProject(project);
  const owners = { projectId: project.id, ownerId: userId, createdBy: userId };
  const task = newTask({ id: uuid(), ...owners, ...wholeZip }, at);
  await createTask(task);
  await changeTask(task.id, { from: ["pending"], attempt: 1, set: { status: "running" } });
  return { userId, scan: { taskId: task.id, attempt: 1, projectId: project.id } };
}

export const price = { inputUsd: 2, outputUsd: 10 };

/** A call that can cost 1,000 tokens, 600 of them written, and 6,800 micro-dollars. */
export const aCall = (given: Pick<Call, "userId" | "scan"> & Partial<Call>): Call => ({
  provider: "openai",
  model: "gpt-5",
  price,
  worst: costOf({ inputTokens: 400, outputTokens: 600 }, price),
  caps: noCaps,
  ...given,
});
