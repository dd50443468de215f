import { gzipSync } from "node:zlib";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keepInstantAnalysis } from "../../functions/instant/instant-analysis-store.ts";
import { addMember } from "../../functions/members/member-store.ts";
import { isSluiceError } from "../../functions/platform/errors.ts";
import { ValidationFailed } from "../../functions/platform/request.ts";
import { findDrift } from "../../functions/projects/recount.ts";
import { Counters } from "../../functions/projects/statistics.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { killPoints } from "../support/kill-points.ts";
import { type Person, person } from "../support/person.ts";
import { exported, furnish, importing, later, withoutIds } from "./database-file.ts";

let data: EmbeddedData;
let owner: Person;
let reader: Person;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  [owner, reader] = [await person(), await person()];
});
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

const analysis = (ownerId: string) => ({
  id: uuid({ msecs: Date.UTC(2026, 9, 2) }),
  ownerId,
  language: "python",
  mode: "rules" as const,
  issuesCount: 2,
  qualityScore: 70,
  analysisTime: 1.5,
  result: '{"issues":[{"code_snippet":"CANARY"}]}',
  createdAt: new Date(Date.UTC(2026, 9, 2)).toISOString(),
});

/** Somebody's file as another account of theirs would hold it. */
// biome-ignore lint/suspicious/noExplicitAny: tests change files in every way.
const fileFor = async (somebody: Person, from: Person, change: (file: any) => void = () => {}): Promise<string> => {
  const file = await exported(from);
  file.data.user.id = somebody.user.id;
  change(file);
  return JSON.stringify(file);
};

const counters = async (somebody: Person) => Counters.parse(await readStatistics(somebody.user.id));

describe("an export", () => {
  it("holds all that is one's own, in the documented shape, and no secret, code of analyses or id of others", async () => {
    const { shop, old, tasks } = await furnish(owner);
    await keepInstantAnalysis(analysis(owner.user.id));
    const joined = { role: "viewer", permissions: "{}", joinedAt: new Date().toISOString(), version: 1 } as const;
    await addMember({ projectId: shop, userId: reader.user.id, ownerId: owner.user.id, ...joined });
    const { status, headers, body } = await owner.call("exportDatabase");
    expect([status, headers["Content-Type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(headers["Content-Disposition"]).toMatch(/^attachment; filename="sluice-export-[\d-]{10}\.json"/);
    const text = body.toString("utf8");
    expect(text).not.toMatch(/CANARY|enc:v1|0198a000-0000-7000-8000-00000000000a/);
    expect(text).not.toContain(reader.user.id);
    const { export_date, user_id, data: held } = JSON.parse(text);
    expect([export_date, user_id]).toEqual([held.export_date, owner.user.id]);
    expect(held).toMatchObject({
      version: "1.0.0",
      user: { id: owner.user.id, email: owner.user.email },
      project_members: [],
    });
    expect(
      held.projects.map(({ id, source_type, is_active }: Record<string, unknown>) => [id, source_type, is_active]),
    ).toEqual([
      [shop, "zip", true],
      [old, "zip", false],
    ]);
    expect(held.tasks.map(({ id }: { id: string }) => id).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    expect(held.tasks[0].exclude_patterns).toEqual([]);
    expect(held.projects[0].programming_languages).toEqual([]);
    expect(held.issues).toHaveLength(6);
    expect(held.instant_analyses).toEqual([expect.objectContaining({ issues_count: 2, quality_score: 70 })]);
    expect(held.prompt_templates).toEqual([expect.objectContaining({ name: "支付", content_zh: "看金额 {language}" })]);
    expect(held.rule_sets).toMatchObject([
      { name: "商店规则", language: "python", rules: [{ rule_code: "OWN2", enabled: false }, { rule_code: "OWN1" }] },
    ]);
    expect(held.user_config).toMatchObject({
      llm_config: { llmProvider: "openai" },
      other_config: { embedding_config: { provider: "openai" } },
    });
  });

  it("of one project holds that alone, and is its creator's", async () => {
    const { shop } = await furnish(owner);
    const query = { project_id: shop };
    const { data: held } = JSON.parse((await owner.ok("exportDatabase", { query })).toString("utf8"));
    expect([...held.prompt_templates, ...held.rule_sets]).toEqual([]);
    expect([held.projects.length, held.tasks.length, held.issues.length, held.user_config]).toEqual([
      1,
      3,
      5,
      { llm_config: {}, other_config: {} },
    ]);
    const joined = { role: "owner", permissions: "{}", joinedAt: new Date().toISOString(), version: 1 } as const;
    expect((await reader.call("exportDatabase", { query })).status).toBe(404);
    await addMember({ projectId: shop, userId: reader.user.id, ownerId: owner.user.id, ...joined });
    expect((await reader.call("exportDatabase", { query })).status).toBe(403);
    expect((await exported(reader)).data.projects).toEqual([]);
  });
});

describe("an import", () => {
  it("brings everything back under new ids, with verdicts, states and counters", async () => {
    await furnish(owner);
    await keepInstantAnalysis(analysis(owner.user.id));
    const before = await exported(owner);
    const { message, imported } = await importing(reader, await fileFor(reader, owner));
    expect([message, imported]).toEqual([
      "The data are imported",
      { projects: 2, tasks: 4, issues: 6, analyses: 1, config: 1, prompt_templates: 1, rule_sets: 1 },
    ]);
    const after = await exported(reader);
    const ids = (file: typeof before) =>
      JSON.stringify([file.data.projects, file.data.tasks, file.data.issues, file.data.rule_sets]).match(
        /[0-9a-f]{8}-[0-9a-f-]{27}/g,
      ) as string[];
    const shared = ids(before).filter((id) => ids(after).includes(id));
    expect(shared).toEqual([]);
    // What was going on went no further, a project goes into the bin now, and nobody else's verdict has a name.
    const asImported = structuredClone(before);
    for (const task of asImported.data.tasks) {
      task.failure &&= { fields: {}, ...task.failure };
      if (task.status === "pending") Object.assign(task, { status: "cancelled", completed_at: task.created_at });
    }
    for (const issue of asImported.data.issues) {
      if (issue.resolved_by) issue.resolved_by = null;
      for (const verdict of issue.history) verdict.by = null;
    }
    asImported.data.projects[1].updated_at = after.data.projects[1].updated_at;
    expect(withoutIds(after)).toEqual(withoutIds(asImported));
    expect(await counters(reader)).toEqual({ ...(await counters(owner)) });
    expect(await findDrift(reader.user.id, new Date(later.getTime() + 3_600_000))).toBeNull();
    const [task] = await reader.ok("listTasks", { query: { limit: "1" } });
    expect(await reader.call("retryTask", { params: { id: task.id } })).toMatchObject({ status: 409 });
  });

  it("keeps what one has said oneself, in the history as well", async () => {
    await furnish(owner);
    const content = JSON.stringify(await exported(owner)).replaceAll(owner.user.id, reader.user.id);
    await importing(reader, content);
    const { issues } = (await exported(reader)).data;
    const resolved = issues.find(({ status }: { status: string }) => status === "resolved");
    expect(resolved).toMatchObject({ resolved_by: reader.user.id, history: [{ by: reader.user.id, note: "看过" }] });
    const carried = issues
      .flatMap(({ history }: { history: { from: unknown; by: unknown }[] }) => history)
      .find(({ from }: { from: unknown }) => from);
    // The verdict points at the issue of the other scan as it is here.
    const ids = issues.map(({ id }: { id: string }) => id);
    expect([carried.by, ids.includes(carried.from.issue_id)]).toEqual([null, true]);
  });

  it("again changes nothing, also packed, and into the account that it came from", async () => {
    await furnish(owner);
    await keepInstantAnalysis(analysis(owner.user.id));
    const content = await fileFor(reader, owner);
    await importing(reader, content);
    const once = await exported(reader);
    const none = { projects: 0, tasks: 0, issues: 0, analyses: 0, config: 0 };
    const nothing = { ...none, prompt_templates: 0, rule_sets: 0 };
    for (const again of [content, gzipSync(content), `${content} `])
      expect((await importing(reader, again)).imported).toEqual(nothing);
    expect(withoutIds(await exported(reader))).toEqual(withoutIds(once));
    expect((await importing(reader, JSON.stringify(once))).imported).toEqual(nothing);
    expect((await importing(owner, JSON.stringify(await exported(owner)))).imported).toEqual(nothing);
  });

  it("never touches what somebody else has under the same ids", async () => {
    const { shop } = await furnish(owner);
    const before = await exported(owner);
    await importing(reader, await fileFor(reader, owner));
    expect((await exported(owner)).data).toEqual({ ...before.data, export_date: expect.any(String) });
    expect((await reader.call("readProject", { params: { id: shop } })).status).toBe(404);
  });

  it("takes no secret, and leaves what its user has set as it is", async () => {
    await reader.ok("updateMyConfig", {
      json: { llmConfig: { llmProvider: "claude", claudeApiKey: "sk-mine-0123456789" } },
    });
    const config = {
      llm_config: { llmProvider: "openai", llmModel: "m2", claudeApiKey: "sk-theirs", llmApiKey: "sk-theirs" },
      other_config: { githubToken: "x", llmGapMs: 5 },
    };
    const content = JSON.stringify({ data: { user: { id: reader.user.id }, user_config: config } });
    expect((await importing(reader, content)).imported.config).toBe(1);
    expect(await reader.ok("readMyConfig")).toMatchObject({
      llmConfig: { llmProvider: "claude", llmModel: "m2", claudeApiKey: "••••6789", llmApiKey: "" },
      otherConfig: { githubToken: "", llmGapMs: 5 },
    });
    expect((await importing(reader, content)).imported.config).toBe(0);
  });

  it("takes exports without source_type and texts in one language", async () => {
    const [git, zip] = [uuid(), uuid()];
    const created_at = "2024-01-02T03:04:05+08:00";
    const taskId = uuid();
    const issue = {
      id: uuid(),
      task_id: taskId,
      file_path: "a.py",
      issue_type: "bug",
      severity: "low",
      title: "标题",
      created_at,
      unknown: 1,
    };
    const content = {
      version: "1.0.0",
      data: {
        user: { id: reader.user.id },
        projects: [
          { id: git, name: "git", repository_url: "https://example.test/a/b", default_branch: null, created_at },
          { id: zip, name: "zip", created_at },
        ],
        tasks: [{ id: taskId, project_id: zip, task_type: "zip_upload", status: "completed", created_at }],
        issues: [issue, { ...issue, id: uuid() }],
      },
    };
    expect((await importing(reader, JSON.stringify(content))).imported).toMatchObject({
      projects: 2,
      tasks: 1,
      issues: 2,
    });
    const { projects, issues } = (await exported(reader)).data;
    expect(
      projects.map((one: Record<string, unknown>) => [one.name, one.source_type, one.created_at]).toSorted(),
    ).toEqual([
      ["git", "repository", "2024-01-01T19:04:05.000Z"],
      ["zip", "zip", "2024-01-01T19:04:05.000Z"],
    ]);
    expect(issues[0]).toMatchObject({ status: "open", texts: { zh: { title: "标题" }, en: { title: "标题" } } });
  });
});

describe("templates and rule sets of a file", () => {
  it("are another's own, run, and stay as their user has them when the file comes again", async () => {
    await furnish(owner);
    const content = await fileFor(reader, owner);
    await importing(reader, content);
    const { items } = await reader.ok("listRuleSets", { query: { limit: "100" } });
    const mine = items.find(({ name }: { name: string }) => name === "商店规则");
    expect(mine).toMatchObject({
      created_by: reader.user.id,
      is_system: false,
      rules_count: 2,
      enabled_rules_count: 1,
    });
    await reader.ok("updateRuleSet", { params: { id: mine.id }, json: { name: "改名" } });
    expect((await importing(reader, `${content} `)).imported).toMatchObject({ prompt_templates: 0, rule_sets: 0 });
    expect(await reader.ok("readRuleSet", { params: { id: mine.id } })).toMatchObject({ name: "改名", rules_count: 2 });
    // What was deleted is missing again, so it comes back.
    await reader.ok("deleteRuleSet", { params: { id: mine.id } });
    expect((await importing(reader, `${content}  `)).imported).toMatchObject({ prompt_templates: 0, rule_sets: 1 });
    expect(await reader.ok("readRuleSet", { params: { id: mine.id } })).toMatchObject({
      name: "商店规则",
      rules_count: 2,
    });
  });

  it("are refused before anything is written when they would be too many", async () => {
    await furnish(owner);
    const content = await fileFor(reader, owner, ({ data: held }) => {
      held.prompt_templates = Array.from({ length: 101 }, () => ({ ...held.prompt_templates[0], id: uuid() }));
    });
    await expect(importing(reader, content)).rejects.toMatchObject({ code: "prompt_template_limit_reached" });
    expect((await exported(reader)).data.projects).toEqual([]);
  });
});

describe("a hostile file", () => {
  const refusal = async (content: string | Buffer) => {
    const writes: string[] = [];
    data.gateway.onCall = ({ permissions }) => {
      for (const { action } of permissions) if (!/Get|Query/.test(action)) writes.push(action);
    };
    const error = await importing(reader, content).catch((thrown) => thrown);
    data.gateway.onCall = () => {};
    expect(writes).toEqual([]);
    if (isSluiceError(error)) return error.code;
    expect(error).toBeInstanceOf(ValidationFailed);
    return (error as ValidationFailed).issues.map(({ loc }) => loc.join("."));
  };
  const fileWith = (data: object) => JSON.stringify({ data: { user: { id: reader.user.id }, ...data } });
  const created_at = "2026-01-01T00:00:00Z";
  const project = { id: "0198a000-0000-7000-8000-000000000001", name: "p", created_at };
  const task = {
    id: "0198a000-0000-7000-8000-000000000002",
    project_id: project.id,
    task_type: "zip_upload",
    status: "completed",
    created_at,
  };
  const issue = {
    id: "0198a000-0000-7000-8000-000000000003",
    task_id: task.id,
    file_path: "a",
    issue_type: "bug",
    severity: "low",
    created_at,
  };

  it.each([
    ["no JSON", () => "{", "import_not_json"],
    ["bytes that are no text", () => Buffer.from([0xff, 0xfe]), "import_not_json"],
    ["a deep nest", () => "[".repeat(100_000), "import_not_json"],
    ["broken gzip", () => Buffer.concat([gzipSync("{}").subarray(0, 12), Buffer.alloc(9)]), "import_not_json"],
    ["a bomb", () => gzipSync(Buffer.alloc(51 * 1024 * 1024, 0x20)), "payload_too_large"],
    ["no data", () => '{"version":"1"}', "import_without_data"],
    ["data that are no object", () => '{"data":[]}', ["file.data"]],
    ["another user's data", () => fileWith({ user: { id: project.id } }), "import_of_other_user"],
    ["an id that is none", () => fileWith({ projects: [{ ...project, id: "../x" }] }), ["file.data.projects.0.id"]],
    ["an id twice", () => fileWith({ projects: [project, project] }), ["file.data.projects.1.id"]],
    ["a task of nothing", () => fileWith({ tasks: [task] }), ["file.data.tasks.0.project_id"]],
    [
      "a state that is none",
      () => fileWith({ projects: [project], tasks: [{ ...task, status: "x" }] }),
      ["file.data.tasks.0.status"],
    ],
    ["an issue of nothing", () => fileWith({ projects: [project], issues: [issue] }), ["file.data.issues.0.task_id"]],
    [
      "a severity that is none",
      () => fileWith({ projects: [project], tasks: [task], issues: [{ ...issue, severity: "__proto__" }] }),
      ["file.data.issues.0.severity"],
    ],
    [
      "a path that is no key",
      () => fileWith({ projects: [project], tasks: [task], issues: [{ ...issue, file_path: "路".repeat(400) }] }),
      ["file.data.issues.0.file_path"],
    ],
    [
      "a record that no item holds",
      () =>
        fileWith({
          projects: [project],
          tasks: [task],
          issues: [
            {
              ...issue,
              trace: Array(5000).fill({
                file_path: "a".repeat(50),
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
                code: "x",
                role: "step",
              }),
            },
          ],
        }),
      ["file.data.issues.0"],
    ],
    [
      "a number out of range",
      () => fileWith({ projects: [project], tasks: [{ ...task, quality_score: 1e9 }] }),
      ["file.data.tasks.0.quality_score"],
    ],
    [
      "a pattern that is none",
      () =>
        fileWith({
          rule_sets: [{ ...project, rules: [{ rule_code: "R", name: "r", category: "bug", pattern: "(" }] }],
        }),
      "rule_pattern_invalid",
    ],
    [
      "a rule of no kind",
      () => fileWith({ rule_sets: [{ ...project, rules: [{}] }] }),
      expect.arrayContaining(["file.data.rule_sets.0.rules.0.rule_code"]),
    ],
    [
      "a template of no type",
      () => fileWith({ prompt_templates: [{ ...project, template_type: "x" }] }),
      ["file.data.prompt_templates.0.template_type"],
    ],
    [
      "a time that is none",
      () => fileWith({ projects: [{ ...project, created_at: "yesterday" }] }),
      ["file.data.projects.0.created_at"],
    ],
  ])("with %s is refused before anything is written", async (_, content, expected) => {
    expect(await refusal(content())).toEqual(expected);
  });

  it("with two issues of one fingerprint, or thousands of faults, names the first of them", async () => {
    const twins = [
      { ...issue, fingerprint: "f" },
      { ...issue, id: project.id, fingerprint: "f" },
    ];
    expect(await refusal(fileWith({ projects: [project], tasks: [task], issues: twins }))).toEqual([
      "file.data.issues.1.fingerprint",
    ]);
    expect(await refusal(fileWith({ projects: Array(5000).fill({}) }))).toHaveLength(100);
  });

  it("chooses no key and reaches no record but those of its own user", async () => {
    const other = await furnish(owner);
    const before = await exported(owner);
    const content = fileWith({
      projects: [{ ...project, id: other.shop, owner_id: owner.user.id, pk: "U#1", gsi1pk: "x" }],
      tasks: [
        { ...task, id: other.tasks[0]?.id, project_id: other.shop, owner_id: owner.user.id, created_by: owner.user.id },
      ],
      issues: [
        { ...issue, task_id: other.tasks[0]?.id, fingerprint: "T#x", resolved_by: owner.user.id, status: "resolved" },
      ],
    });
    const leading = new Set<string>();
    data.gateway.onCall = ({ permissions }) => {
      for (const { action, context } of permissions)
        if (!/Get|Query/.test(action))
          for (const key of [context?.["dynamodb:LeadingKeys"] ?? []].flat()) leading.add(key);
    };
    await importing(reader, content);
    data.gateway.onCall = () => {};
    const touched = JSON.stringify([...leading]);
    for (const id of [owner.user.id, other.shop, other.tasks[0]?.id as string]) expect(touched).not.toContain(id);
    expect((await exported(owner)).data).toEqual({ ...before.data, export_date: expect.any(String) });
    expect((await exported(reader)).data.issues[0]).toMatchObject({ resolved_by: null, status: "resolved" });
  });
});

describe("an import that dies", () => {
  /** Nothing that the function does from call `from` on reaches anything. */
  const dyingAt = (from: number, when: "before" | "after") => {
    let calls = 0;
    data.gateway.planFault = () => {
      calls += 1;
      const error = { code: "AccessDeniedException", message: "dead", status: 400 };
      if (calls === from) return { when, error } as never;
      return calls > from ? ({ when: "before", error } as never) : undefined;
    };
    return () => calls;
  };

  it.each(["before", "after"] as const)("is finished by sending the file again, %s the call is done", async (when) => {
    await furnish(owner);
    await keepInstantAnalysis(analysis(owner.user.id));
    const golden = await person();
    const whole = await fileFor(golden, owner);
    const count = dyingAt(Number.POSITIVE_INFINITY, when);
    const { imported } = await importing(golden, whole);
    const calls = count();
    data.gateway.planFault = () => undefined;
    const [held, numbers] = [withoutIds(await exported(golden)), await counters(golden)];
    expect(calls).toBeGreaterThan(30);
    for (const point of killPoints(calls, 5)) {
      const mortal = await person();
      const content = await fileFor(mortal, owner);
      dyingAt(point, when);
      await expect(importing(mortal, content)).rejects.toThrow();
      data.gateway.planFault = () => undefined;
      const again = await importing(mortal, content);
      expect([point, again.imported.issues]).toEqual([
        point,
        point === calls && when === "after" ? 0 : imported.issues,
      ]);
      const timeless = (rows: unknown) => JSON.stringify(rows);
      expect([point, timeless(withoutIds(await exported(mortal)))]).toEqual([point, timeless(held)]);
      expect([point, await counters(mortal)]).toEqual([point, numbers]);
      expect((await importing(mortal, content)).imported).toMatchObject({
        projects: 0,
        tasks: 0,
        issues: 0,
        analyses: 0,
      });
    }
  });

  it("at its time limit says so, goes on, and is told by the health check meanwhile", async () => {
    await furnish(owner);
    const content = await fileFor(reader, owner);
    let looks = 0;
    // The clock leaps in the middle of the work.
    const leaping = () => new Date(later.getTime() + (looks++ > 5 ? 60_000 : 0));
    await expect(importing(reader, content, leaping)).rejects.toMatchObject({
      code: "database_work_unfinished",
      status: 503,
    });
    expect(await reader.ok("readDatabaseHealth")).toMatchObject({
      status: "warning",
      issues: [],
      warnings: [expect.stringContaining("not finished")],
    });
    const edited = content.replace('"description":"=1+1"', '"description":"edited"');
    expect(edited).not.toBe(content);
    await expect(importing(reader, edited)).rejects.toMatchObject({ code: "import_unfinished" });
    expect((await importing(reader, content)).imported).toMatchObject({ projects: 2, tasks: 4, issues: 6 });
    expect(await reader.ok("readDatabaseHealth")).toMatchObject({ status: "healthy", warnings: [] });
  });

  it("twice at once is one import", async () => {
    await furnish(owner);
    const content = await fileFor(reader, owner);
    await Promise.all([importing(reader, content), importing(reader, content)]);
    const { projects, tasks, issues } = (await exported(reader)).data;
    expect([projects.length, tasks.length, issues.length]).toEqual([2, 4, 6]);
    expect(await counters(reader)).toEqual(await counters(owner));
  });
});
