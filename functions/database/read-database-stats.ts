import { findUserConfig } from "../config/user-config-store.ts";
import { listMembers } from "../members/member-store.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { DatabaseStats, databaseStats } from "./database-stats.ts";
import { countAnalysesOf, issueStatesOf, projectsOf, sideBySide, tasksOf } from "./owned-records.ts";

/** DynamoDB reads a task's issues at 12 MB a second, about 3 kB each, and eight tasks side by side. */
const issuesMax = 100_000;

export const readDatabaseStats = operation(
  {
    method: "GET",
    path: "/database/stats",
    summary: "Count one's own projects, tasks, issues of completed tasks by state and severity, and analyses",
    auth: "user",
    success: DatabaseStats,
    failures: ["database_too_large"],
    grants: {
      reads: ["project", "member", "task", "issue", "instantAnalysis", "userConfig"],
      indexes: ["gsi1", "gsi2"],
    },
    memoryMiB: 1769,
    timeoutSeconds: 28,
  },
  async ({ caller }) => {
    const projects = await projectsOf(caller.id);
    const own = new Set(projects.map(({ id }) => id));
    // Those of a project that is being deleted for good are gone for everybody, a moment before they are gone.
    const tasks = (await tasksOf(caller.id)).filter(({ projectId }) => own.has(projectId));
    const completed = tasks.filter(({ status }) => status === "completed");
    const issuesCount = completed.reduce((sum, task) => sum + task.issuesCount, 0);
    if (issuesCount > issuesMax) throw new SluiceError("database_too_large", { issues: issuesCount, limit: issuesMax });
    const issues = await sideBySide(completed, ({ id }) => issueStatesOf(id));
    const members = await sideBySide(projects, ({ id }) => listMembers(id));
    return databaseStats({
      projects,
      tasks,
      issues: issues.flat(),
      analyses: await countAnalysesOf(caller.id),
      members: members.reduce((sum, team) => sum + team.length, 0),
      hasConfig: (await findUserConfig(caller.id)) !== null,
    });
  },
);
