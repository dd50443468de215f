import type { Finding } from "../../functions/engine/finding.ts";
import type { Issue } from "../../functions/issues/issue.ts";
import { readIssue, replaceIssue } from "../../functions/issues/issue-store.ts";
import { operations } from "../../functions/operations.ts";
import type { UploadedFile } from "../../functions/platform/contract.ts";
import type { Task } from "../../functions/scans/task.ts";
import { aFinding } from "../support/finding.ts";
import type { Person } from "../support/person.ts";
import { projectOf, scannedTask, taskOf } from "../support/scanned.ts";

/** A clock long after the records of a test were made: an import must not depend on when. */
export const later = new Date(Date.now() + 3_600_000);

export interface Imported {
  readonly message: string;
  readonly imported: Record<
    "projects" | "tasks" | "issues" | "analyses" | "config" | "prompt_templates" | "rule_sets",
    number
  >;
}

/** Imports a file inside the test process. */
export function importing(somebody: Person, content: string | Buffer, now = () => later): Promise<Imported> {
  const file: UploadedFile = { filename: "export.json", bytes: Buffer.from(content) };
  const request = { body: { file }, caller: somebody.user, language: "en", now };
  return operations.database.importDatabase.handle(request as never) as Promise<Imported>;
}

/** What somebody's export holds. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into files of every shape.
export const exported = async (somebody: Person): Promise<any> =>
  JSON.parse((await somebody.ok("exportDatabase")).toString("utf8"));

/** Counts of an export, and what must be the same after it was imported: everything but ids. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function withoutIds({ data }: any) {
  const names = new Map<string, string>();
  // Ids are told by the order they come in, which is the same in both files.
  const named = (text: string) =>
    text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      if (!names.has(id)) names.set(id, `id-${names.size}`);
      return names.get(id) as string;
    });
  const sorted = (rows: { created_at: string; file_path?: string; name?: string }[]) =>
    rows.toSorted((a, b) => key(a).localeCompare(key(b)));
  const key = (row: { created_at: string; file_path?: string; name?: string }) =>
    `${row.created_at} ${row.file_path ?? row.name ?? ""}`;
  const { projects, tasks, issues, instant_analyses, prompt_templates, rule_sets, user_config } = data;
  const lists = [projects, tasks, issues, instant_analyses, prompt_templates, rule_sets].map(sorted);
  return JSON.parse(named(JSON.stringify([...lists, user_config])));
}

const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 12, minute));

/** An owner's worth of data: two projects, one in the recycle bin, scans in three states, verdicts, instructions, settings with a secret. */
export async function furnish(
  somebody: Person,
): Promise<{ shop: string; old: string; tasks: Task[]; issues: Issue[] }> {
  const [shop, old] = [await projectOf(somebody), await projectOf(somebody)];
  await somebody.ok("updateProject", { params: { id: shop }, json: { name: "商店", description: "=1+1" } });
  const findings: Finding[] = ["a", "b", "c"].map((name) => ({
    ...aFinding(name),
    title: { zh: `甲${name}`, en: name },
  }));
  const tasks = [
    await scannedTask(somebody, shop, findings, { at: at(1) }),
    await scannedTask(somebody, shop, findings.slice(1), { at: at(2) }),
    await taskOf(somebody, shop, at(3)),
    await scannedTask(somebody, old, [aFinding("z")], { at: at(4) }),
  ];
  const issues: Issue[] = [];
  for (const issue of (await somebody.ok("listIssues", { params: { id: tasks[0]?.id as string } })) as {
    id: string;
  }[]) {
    const params = { id: tasks[0]?.id as string, issue_id: issue.id };
    await somebody.ok("triageIssue", {
      params,
      json: { status: issues.length ? "false_positive" : "resolved", note: "看过" },
    });
    issues.push(await readIssue(params.id, params.issue_id));
    if (issues.length === 2) break;
  }
  // A verdict that came from another scan, and one of somebody who is nobody here.
  const second = issues[1] as Issue;
  const from = { taskId: tasks[1]?.id as string, issueId: (await onlyIssue(somebody, tasks[1] as Task)).id };
  const stranger = "0198a000-0000-7000-8000-00000000000a";
  const verdict = { status: "false_positive", by: stranger, at: at(5).toISOString(), note: null, from } as const;
  await replaceIssue(second, { ...second, history: [...second.history, verdict] }, at(5));
  await somebody.ok("deleteProject", { params: { id: old } });
  await somebody.ok("createPromptTemplate", {
    json: { name: "支付", content_zh: "看金额 {language}", variables: { language: "x" } },
  });
  await somebody.ok("createRuleSet", { json: { name: "商店规则", language: "python", rules: ownRules } });
  await somebody.ok("updateMyConfig", {
    json: {
      llmConfig: { llmProvider: "openai", llmModel: "m", llmApiKey: "sk-CANARY-0123456789" },
      otherConfig: { githubToken: "ghp_CANARY", embedding_config: { provider: "openai", api_key: "sk-CANARY-emb" } },
    },
  });
  return { shop, old, tasks, issues };
}

const ownRules = [
  { rule_code: "OWN1", name: "打印", category: "security", pattern: "print\\(", sort_order: 2 },
  {
    rule_code: "OWN2",
    name: "价格",
    category: "bug",
    severity: "high",
    custom_prompt: "p",
    enabled: false,
    sort_order: 1,
  },
];

async function onlyIssue(somebody: Person, task: Task): Promise<{ id: string }> {
  const [issue] = await somebody.ok("listIssues", { params: { id: task.id } });
  return issue;
}
