import * as z from "zod";
import { isSecretField, said, saying } from "../config/user-config.ts";
import { savedSettings } from "../config/user-config-secrets.ts";
import { findUserConfig, replaceUserConfig } from "../config/user-config-store.ts";
import { keepInstantAnalysis } from "../instant/instant-analysis-store.ts";
import { UploadedFile } from "../platform/contract.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { readItems } from "../platform/read-items.ts";
import { keys } from "../platform/table.ts";
import { makeFailures } from "../rules/make-rule-set.ts";
import { bringInstructions, missingInstructions } from "./bring-instructions.ts";
import { type Brought, bringProject } from "./bring-project.ts";
import type { DatabaseFile } from "./database-file.ts";
import { readDatabaseFile } from "./import-file.ts";
import { enterRun, leaveRun, noteBrought, placeOf } from "./import-store.ts";
import { importedAnalysis, importedId, issueIdOf, type NewIds } from "./imported-records.ts";

/**
 * A task that begins by then is through before API Gateway gives up after 29 s, if it has no more than some thousands of issues. One that is
 * not is cut off, and the next request goes on in the middle of it.
 */
const workMs = 18_000;

export const importDatabase = operation(
  {
    method: "POST",
    path: "/database/import",
    summary:
      "Bring back what an export holds, under new ids: what is there already stays as it is, secrets are left out; sent again, the same file goes on where it stopped",
    auth: "user",
    bodyType: "multipart",
    body: z.object({ file: UploadedFile.describe("JSON, also packed with gzip: up to about 4 MB, 50 MB unpacked") }),
    success: z.object({
      message: z.string(),
      imported: z.object({
        projects: z.number(),
        tasks: z.number(),
        issues: z.number(),
        analyses: z.number(),
        config: z.number(),
        prompt_templates: z.number(),
        rule_sets: z.number(),
      }),
    }),
    failures: [
      "import_not_json",
      "import_without_data",
      "import_of_other_user",
      "import_unfinished",
      "database_work_unfinished",
      "project_in_recycle_bin",
      "stale_version",
      "prompt_template_limit_reached",
      ...makeFailures,
      ...(["secret_unreadable", "secret_prefix_reserved", "secret_too_long"] as const),
    ],
    grants: {
      reads: [
        ...(["databaseImport", "project", "task", "issue", "instantAnalysis", "userConfig"] as const),
        ...(["promptTemplate", "ruleSet"] as const),
      ],
      writes: [
        ...(["databaseImport", "project", "task", "issue", "statistics", "instantAnalysis", "userConfig"] as const),
        ...(["promptTemplate", "ruleSet"] as const),
      ],
      checks: ["user", "project"],
      indexes: ["gsi1"],
      secrets: ["encrypt", "decrypt"],
    },
    idempotent: true,
    // 50 MB of JSON are some 500 MB of objects; more memory is more CPU to read them with.
    memoryMiB: 3008,
    timeoutSeconds: 28,
  },
  async ({ body, caller, language, now }) => {
    const until = new Date(now().getTime() + workMs);
    const { data, hash } = readDatabaseFile(body.file.bytes, caller.id, language);
    const instructions = await missingInstructions(data, caller.id);
    const runId = await enterRun(caller.id, hash);
    const counted = await bringProjects(data, caller.id, runId, now, until);
    const analyses = await bringAnalyses(data, caller.id, language, now, until);
    const config = await bringConfig(data, caller.id, now());
    await bringInstructions(instructions);
    await leaveRun(caller.id, hash, runId);
    const imported = {
      ...counted,
      ...{ analyses, config },
      prompt_templates: instructions.templates.length,
      rule_sets: instructions.ruleSets.length,
    };
    return { message: messageOf(imported, language), imported };
  },
);

async function bringProjects(data: DatabaseFile, userId: string, runId: string, now: () => Date, until: Date) {
  const places = new Map<string, string>();
  const rows = [];
  const counted = { projects: 0, tasks: 0, issues: 0 };
  const tasksOf = Map.groupBy(data.tasks, (task) => task.project_id);
  const issuesOf = Map.groupBy(data.issues, (issue) => issue.task_id);
  for (const row of data.projects) {
    const place = await placeOf(userId, runId, row.id);
    if (place.kind === "there") continue;
    const tasks = tasksOf.get(row.id) ?? [];
    counted.projects += 1;
    counted.tasks += tasks.length;
    counted.issues += tasks.reduce((sum, task) => sum + (issuesOf.get(task.id)?.length ?? 0), 0);
    if (place.kind === "brought") continue;
    places.set(row.id, place.projectId);
    rows.push(row);
  }
  const ids = newIds(data, places);
  for (const row of rows) {
    const projectId = places.get(row.id) as string;
    const tasks = (tasksOf.get(row.id) ?? []).map((task) => ({
      row: task,
      id: ids.task(task.id) as string,
      issues: issuesOf.get(task.id) ?? [],
    }));
    const brought: Brought = { row, tasks };
    if (!(await bringProject(brought, projectId, userId, ids, now, until))) throw unfinished();
    await noteBrought(userId, runId, row.id, projectId);
  }
  return counted;
}

/** What the ids of the file become. Outside of the file nothing is looked for. */
function newIds(data: DatabaseFile, places: ReadonlyMap<string, string>): NewIds {
  const tasks = new Map<string, string>();
  for (const row of data.tasks) {
    const place = places.get(row.project_id);
    if (place) tasks.set(row.id, importedId(place, row));
  }
  const issues = new Map<string, string>();
  for (const row of data.issues) {
    const task = tasks.get(row.task_id);
    if (task) issues.set(row.id, issueIdOf(row, task));
  }
  return { task: (id) => tasks.get(id), issue: (id) => issues.get(id) };
}

/** Adds what the history has not, under the id of the file or under the one that an earlier import gave. */
async function bringAnalyses(
  data: DatabaseFile,
  userId: string,
  language: Language,
  now: () => Date,
  until: Date,
): Promise<number> {
  const rows = data.instant_analyses.map((row) => ({ row, id: importedId(userId, row) }));
  const asked = new Set(rows.flatMap(({ row, id }) => [row.id, id]));
  const items = await readItems([...asked].map((id) => keys.instantAnalysis(userId, id)));
  const known = new Set(items.map((item) => item.id));
  const missing = rows.filter(({ row, id }) => !known.has(row.id) && !known.has(id));
  for (const { row, id } of missing) {
    if (now() >= until) throw unfinished();
    await keepInstantAnalysis(importedAnalysis(row, userId, language)).catch(async (error) => {
      // Another request was faster, or ours came through and its answer was lost.
      if ((await readItems([keys.instantAnalysis(userId, id)])).length === 0) throw error;
    });
  }
  return missing.length;
}

/** Somebody may save settings meanwhile; so often in a row is no coincidence. */
const triesMax = 5;

/** Adds what the user has not said. So a file never points a key at another address, and importing it again changes nothing. */
async function bringConfig({ user_config }: DatabaseFile, userId: string, at: Date): Promise<number> {
  for (let tries = 1; ; tries++) {
    const before = await findUserConfig(userId);
    const added = {
      llmConfig: unsaid(user_config.llm_config, before?.llmConfig),
      otherConfig: unsaid(user_config.other_config, before?.otherConfig),
    };
    if (Object.values(added).every((group) => Object.keys(group).length === 0)) return 0;
    try {
      await replaceUserConfig(before, await savedSettings(before, added, userId, at));
      return 1;
    } catch (error) {
      if (!isSluiceError(error, "stale_version") || tries === triesMax) throw error;
    }
  }
}

/** What is said here and not there, secrets aside. */
function unsaid(here: object, there: object = {}): object {
  const known = said(there);
  const news = Object.entries(said(here)).filter(([name]) => !(name in known) && !isSecretField(name));
  return saying(Object.fromEntries(news));
}

const unfinished = () => new SluiceError("database_work_unfinished", { retryAfterSeconds: 1 });

function messageOf(imported: Record<string, number>, language: Language): string {
  const nothing = Object.values(imported).every((count) => count === 0);
  if (nothing)
    return language === "zh" ? "文件中的数据均已存在，没有变化" : "All of it is there already; nothing changed";
  return language === "zh" ? "数据导入成功" : "The data are imported";
}
