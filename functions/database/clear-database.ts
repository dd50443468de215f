import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { deleteUserConfig, findUserConfig } from "../config/user-config-store.ts";
import { forgetInstantAnalyses } from "../instant/instant-analysis-store.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { startErasure } from "../projects/erasure-execution.ts";
import { buryProject, findProject } from "../projects/project-store.ts";
import { readStatistics } from "../projects/statistics-store.ts";
import { tasksOfProject } from "../scans/task-store.ts";
import { forgetExports } from "./export-store.ts";
import { forgetImports } from "./import-store.ts";
import { countAnalysesOf, countIssuesOf, projectsOf, sideBySide } from "./owned-records.ts";

/** A project takes some 100 ms, all its issues counted; the one that is at hand then is through before API Gateway gives up after 29 s. */
const workMs = 18_000;

export const clearDatabase = operation(
  {
    method: "DELETE",
    path: "/database/clear",
    summary:
      "Delete one's own projects for good, with their tasks, issues and files, and one's instant analyses and settings; projects of others stay",
    auth: "user",
    success: z.object({
      message: z.string(),
      /** What this request has deleted. */
      deleted: z.object({
        projects: z.number(),
        tasks: z.number(),
        issues: z.number(),
        analyses: z.number(),
        config: z.number(),
      }),
    }),
    failures: ["database_work_unfinished", "stale_version"],
    grants: {
      reads: ["project", "task", "issue", "statistics", "instantAnalysis", "userConfig", "databaseImport"],
      writes: ["project", "statistics", "instantAnalysis", "userConfig", "databaseImport"],
      indexes: ["gsi1"],
      results: { lists: ["exports/database/*"], deletes: ["exports/database/*"] },
      erasureMachine: ["start"],
    },
    timeoutSeconds: 28,
  },
  async ({ caller, language, now }) => {
    const until = new Date(now().getTime() + workMs);
    const projects = await deleteProjectsOf(caller.id, now, until);
    const analyses = await countAnalysesOf(caller.id);
    await forgetInstantAnalyses(caller.id);
    const config = (await findUserConfig(caller.id)) ? 1 : 0;
    await deleteUserConfig(caller.id);
    await forgetImports(caller.id);
    await forgetExports(caller.id);
    const message = language === "zh" ? "数据已清空" : "The data are deleted";
    return { message, deleted: { ...projects, analyses, config } };
  },
);

/** The index that lists projects lags behind the table, usually by less; the counters do not, and tell whether one is missing. */
const lagMs = 300;
const looksMax = 5;

/** Deletes all projects of a user, one by one, each as if by itself: what a crash leaves is there for the next request. */
async function deleteProjectsOf(userId: string, now: () => Date, until: Date) {
  const deleted = { projects: 0, tasks: 0, issues: 0 };
  for (let look = 1; look <= looksMax; look++) {
    for (const { id } of await projectsOf(userId)) {
      if (now() >= until) throw new SluiceError("database_work_unfinished", { retryAfterSeconds: 1 });
      const held = await deleteProject(id, now());
      if (!held) continue;
      deleted.projects += 1;
      deleted.tasks += held.tasks;
      deleted.issues += held.issues;
    }
    if (((await readStatistics(userId))?.projects ?? 0) <= 0) break;
    await setTimeout(lagMs);
  }
  return deleted;
}

/** Somebody may change a project between a look and its end; so often in a row is no coincidence. */
const triesMax = 5;

/** @returns what the project held when it was buried, or null when somebody else was faster */
async function deleteProject(id: string, at: Date): Promise<{ tasks: number; issues: number } | null> {
  for (let tries = 1; ; tries++) {
    const project = await findProject(id);
    if (!project) return null;
    const tasks = await Array.fromAsync(tasksOfProject(id));
    const issues = await sideBySide(tasks, (task) => countIssuesOf(task.id));
    try {
      await buryProject(project, at);
      // A crash right here loses nothing: the sweeper starts what was buried and is not erased.
      await startErasure(id, at, at);
      return { tasks: tasks.length, issues: issues.reduce((sum, count) => sum + count, 0) };
    } catch (error) {
      if (!isSluiceError(error, "stale_version") || tries === triesMax) throw error;
    }
  }
}
