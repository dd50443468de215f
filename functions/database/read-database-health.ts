import { findUserConfig } from "../config/user-config-store.ts";
import { errorFields, log } from "../platform/log.ts";
import { operation } from "../platform/operation.ts";
import { checkRecords, checkSecrets } from "./check-records.ts";
import { DatabaseHealth, databaseHealth } from "./database-health.ts";
import { countAnalysesOf, projectsOf, tasksOf } from "./owned-records.ts";

export const readDatabaseHealth = operation(
  {
    method: "GET",
    path: "/database/health",
    summary: "Check one's own data: readable, complete, counted right, secrets open, deletions and imports finished",
    auth: "user",
    success: DatabaseHealth,
    failures: [],
    grants: {
      reads: ["project", "task", "statistics", "instantAnalysis", "userConfig", "databaseImport"],
      indexes: ["gsi1", "gsi2"],
      secrets: ["decrypt"],
    },
    memoryMiB: 1024,
  },
  async ({ caller, language, now, requestId }) => {
    try {
      const [projects, tasks] = [await projectsOf(caller.id), await tasksOf(caller.id)];
      const config = await findUserConfig(caller.id);
      const issues = tasks.reduce((sum, task) => sum + task.issuesCount, 0);
      const records = projects.length + tasks.length + issues + (await countAnalysesOf(caller.id)) + (config ? 1 : 0);
      const found = await checkRecords(caller.id, projects, tasks, now());
      return databaseHealth([...found, ...(await checkSecrets(config, caller.id))], records, language);
    } catch (error) {
      log("error", "records could not be checked", { requestId, user: caller.id, ...errorFields(error) });
      return databaseHealth([{ code: "database_unreachable" }], null, language);
    }
  },
);
