import { v7 as uuid } from "uuid";
import { newTask, type Task } from "../../functions/scans/task.ts";
import { createTask } from "../../functions/scans/task-store.ts";
import type { Person } from "./person.ts";

/** A project of somebody, without sources. */
export const projectOf = async (somebody: Person): Promise<string> =>
  (await somebody.ok("createProject", { json: { name: "p", source_type: "zip" } })).id;

/** A pending task in a project, which no workflow will ever take up: tests bring it to where they need it. */
export async function taskOf(somebody: Person, projectId: string, at = new Date()): Promise<Task> {
  const config = {
    filePaths: null,
    fullScan: true,
    excludePatterns: [],
    branchName: null,
    ruleSetId: null,
    promptTemplateId: null,
    budgetTokens: null,
    budgetUsd: null,
  };
  const source = { key: "none", bytes: 0, manifestKey: "none" };
  const { id: ownerId } = somebody.user;
  const task = newTask(
    { id: uuid(), projectId, ownerId, createdBy: ownerId, taskType: "zip_upload", config, source },
    at,
  );
  await createTask(task);
  return task;
}
