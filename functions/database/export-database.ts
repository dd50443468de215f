import * as z from "zod";
import { findUserConfig } from "../config/user-config-store.ts";
import { listInstantAnalyses } from "../instant/instant-analysis-store.ts";
import { issuesOf } from "../issues/issue-store.ts";
import { contentDisposition } from "../platform/content-disposition.ts";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation, Reply } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import type { Project } from "../projects/project.ts";
import { templatesOf } from "../prompts/prompt-template-store.ts";
import { headsOf, visibleRuleSets } from "../rules/rule-set-store.ts";
import { tasksOfProject } from "../scans/task-store.ts";
import type { User } from "../users/user.ts";
import { fileBytesMax } from "./database-file.ts";
import { analysisRow, configRow, issueRow, projectRow, ruleSetRow, taskRow, templateRow } from "./export-rows.ts";
import { storeExport } from "./export-store.ts";
import { projectsOf, sideBySide } from "./owned-records.ts";

/** Lambda answers no more than 6 MB, of which base64 leaves 4.5. */
const inlineBytesMax = 4 * 1024 * 1024;
/** Issues are read at 12 MB a second and partition, so 50 MB take less; a stop before API Gateway gives up after 29 s is readable. */
const readMs = 20_000;

export const exportDatabase = operation(
  {
    method: "GET",
    path: "/database/export",
    summary:
      "Download one's own projects, tasks, issues, analyses, templates, rule sets and settings without secrets as JSON; beyond 4 MB a redirect",
    auth: "user",
    query: z.object({
      /** This project alone, without analyses, settings, templates and rule sets. */
      project_id: Id.optional(),
    }),
    success: { contentType: "application/json; charset=utf-8" },
    besides: [302],
    failures: ["export_too_large", "project_not_found", "permission_denied"],
    grants: {
      reads: ["project", "member", "task", "issue", "instantAnalysis", "userConfig", "ruleSet", "override"],
      indexes: ["gsi1"],
      // The link is signed with this function's own rights: it reaches what the function may read.
      results: { reads: ["exports/database/*"], writes: ["exports/database/*"] },
    },
    memoryMiB: 1769,
    timeoutSeconds: 28,
  },
  async ({ query, caller, now }) => {
    const at = now();
    const project = query.project_id ? await ownProject(caller, query.project_id) : null;
    const parts = fileOf(caller, project, at, now);
    const content = await collected(parts);
    const filename = `sluice-export-${at.toISOString().slice(0, 10)}.json`;
    if (content.length > inlineBytesMax) {
      const Location = await storeExport(caller.id, content, filename);
      // An empty body is no JSON.
      return new Reply("", { Location, "Content-Type": "text/plain; charset=utf-8" }, 302);
    }
    return new Reply(content, { "Content-Disposition": contentDisposition(filename, "export.json") });
  },
);

/** To be another owner of somebody's project is no right to carry all of it away. */
async function ownProject(caller: User, id: string): Promise<Project> {
  const project = await authorise(caller, "delete", id);
  if (project.ownerId !== caller.id) throw new SluiceError("permission_denied");
  return project;
}

/** The file in pieces, row by row, so that what it grows to is known before it is too much. */
async function* fileOf(caller: User, only: Project | null, at: Date, now: () => Date): AsyncGenerator<string> {
  const until = new Date(at.getTime() + readMs);
  const export_date = at.toISOString();
  const user = { id: caller.id, email: caller.email, full_name: caller.fullName };
  const projects = only ? [only] : await projectsOf(caller.id);
  const tasks = (await sideBySide(projects, ({ id }) => Array.fromAsync(tasksOfProject(id)))).flat();
  const analyses = only ? [] : (await listInstantAnalyses(caller.id, { skip: 0, limit: everything })).items;
  const templates = only ? [] : await templatesOf(caller.id);
  const ruleSets = only ? [] : await visibleRuleSets(caller.id, await headsOf(caller.id));
  const config = configRow(only ? null : await findUserConfig(caller.id));
  yield `{"export_date":${JSON.stringify(export_date)},"user_id":${JSON.stringify(caller.id)},"data":{`;
  yield `"version":"1.0.0","export_date":${JSON.stringify(export_date)},"user":${JSON.stringify(user)}`;
  yield* list("projects", projects.map(projectRow));
  yield* list("tasks", tasks.map(taskRow));
  yield ',"issues":[';
  let first = true;
  for (let from = 0; from < tasks.length; from += tasksAtOnce) {
    if (now() >= until) throw tooLarge();
    const some = await sideBySide(tasks.slice(from, from + tasksAtOnce), ({ id }) => issuesOf(id));
    for (const issue of some.flat()) {
      yield `${first ? "" : ","}${JSON.stringify(issueRow(issue, caller.id))}`;
      first = false;
    }
  }
  yield "]";
  yield* list("instant_analyses", analyses.map(analysisRow));
  yield* list("prompt_templates", inOrderOfMaking(templates).map(templateRow));
  yield* list("rule_sets", inOrderOfMaking(ruleSets).map(ruleSetRow));
  // Members are other people: a file must not carry them off, and could not give anybody access.
  yield* list("project_members", []);
  yield `,"user_config":${JSON.stringify(config)}}}`;
}

const inOrderOfMaking = <T extends { readonly id: string; readonly createdAt: string }>(records: readonly T[]): T[] =>
  records.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));

const everything = Number.MAX_SAFE_INTEGER;
/** Their issues are in memory together. */
const tasksAtOnce = 8;

function* list(name: string, rows: readonly object[]): Generator<string> {
  yield `,"${name}":${JSON.stringify(rows)}`;
}

/** @throws SluiceError export_too_large */
async function collected(parts: AsyncIterable<string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > fileBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new SluiceError("export_too_large", { limit: "50 MB" });
