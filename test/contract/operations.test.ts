import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemberRole } from "../../functions/members/member.ts";
import { type ListedOperation, operationList, type operations } from "../../functions/operations.ts";
import { fullPath, isRaw } from "../../functions/platform/contract.ts";
import { type Action, isActiveOnly, roleFor } from "../../functions/projects/authorise.ts";
import { pushParameters } from "../../functions/runs/parameter-store.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { Api, type Sent, sendForm, zipOf } from "../support/api.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { RecordedWrites } from "../support/recorded-writes.ts";
import { alice, mallory, startTestService } from "../support/test-service.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

/** Names of all operations: a new one without a row below does not compile. */
type Names = { [Area in keyof typeof operations]: keyof (typeof operations)[Area] }[keyof typeof operations];

interface World {
  readonly projectId: string;
  readonly repositoryId: string;
  readonly taskId: string;
  readonly issueId: string;
  readonly uploadId: string;
  readonly runId: string;
  readonly userId: string;
  readonly otherUserId: string;
  readonly templateId: string;
  readonly ruleSetId: string;
}

/** One good request per operation: path parameters and the rest. */
type Sample = (world: World) => Promise<Sampled> | Sampled;

interface Sampled {
  readonly params?: Record<string, string>;
  readonly sent?: Sent;
  readonly status?: number;
  /** The project that it reaches, where the request does not name it. */
  readonly project?: string;
  /** Who asks in place of the owner. */
  readonly as?: Api;
}

const samples: Record<Names, Sample> = {
  login: () => ({ sent: { form: { username: alice.email, password: alice.password } } }),
  register: () => ({
    sent: { json: { email: `${randomUUID()}@example.test`, password: "kX9$mQ2!vb", full_name: "新用户" } },
  }),
  readJwks: () => ({}),
  readMe: () => ({}),
  updateMe: () => ({ sent: { json: { full_name: "爱丽丝", phone: "+86 138 0013 8000" } } }),
  listUsers: () => ({ sent: { query: { search: "BOB", role: "member", is_active: "true", limit: "1" } } }),
  createUser: () => ({ sent: { json: newcomer() } }),
  readUser: ({ userId }) => ({ params: { id: userId } }),
  updateUser: ({ userId }) => ({ params: { id: userId }, sent: { json: { phone: null, github_username: "bob" } } }),
  deleteUser: async () => ({ params: { id: (await owner.ok("POST", "/api/v1/users", { json: newcomer() })).id } }),
  toggleUserStatus: ({ otherUserId }) => ({ params: { id: otherUserId } }),
  createToken: () => ({ sent: { json: { name: "CI", scope: "scan" } } }),
  listTokens: () => ({}),
  deleteToken: async () => {
    const json = { name: "for a moment", scope: "read" };
    const { id } = await owner.ok("POST", "/api/v1/users/me/tokens", { json });
    return { params: { id } };
  },
  listRuns: () => ({ sent: { query: { limit: "2" } } }),
  readRunDetails: ({ runId }) => ({ params: { id: runId } }),
  listRunItems: ({ runId }) => ({ params: { id: runId }, sent: { query: { from: "0", limit: "10" } } }),
  readLatestParameters: ({ runId }) => ({ params: { id: runId } }),
  exportRun: ({ runId }) => ({ params: { id: runId }, sent: { json: { segments_max: 10 } } }),
  updateRun: ({ runId }) => ({
    params: { id: runId },
    sent: { json: { retention: { age_seconds: null, bytes: 1e12 } } },
  }),
  closeRun: ({ runId }) => ({ params: { id: runId } }),
  listAuditEntries: () => ({ sent: { query: { operation: "createProject", limit: "2" } } }),
  readConfigDefaults: () => ({}),
  readMyConfig: () => ({}),
  updateMyConfig: () => ({ sent: { json: { otherConfig: { maxAnalyzeFiles: 50, outputLanguage: "en-US" } } } }),
  deleteMyConfig: () => ({}),
  listLlmProviders: () => ({}),
  // Refused before anything is sent: the answer says so.
  testLlm: () => ({ sent: { json: { provider: "openai", apiKey: "sk-test", baseUrl: "https://127.0.0.1/v1" } } }),
  listEmbeddingProviders: () => ({}),
  readEmbeddingConfig: () => ({}),
  updateEmbeddingConfig: () => ({
    sent: { json: { provider: "jina", model: "jina-embeddings-v2-base-code", api_key: "jina-test-key" } },
  }),
  listEmbeddingModels: () => ({ params: { provider: "qwen" } }),
  // Refused before anything is sent: the answer says so.
  testEmbedding: () => ({ sent: { json: { provider: "ollama", model: "bge-m3", base_url: "http://127.0.0.1:1" } } }),
  estimateScan: ({ projectId }) => ({ sent: { json: { project_id: projectId, exclude_patterns: ["*.md"] } } }),
  readMySpending: () => ({ sent: { query: { month: "2026-11" } } }),
  createProject: () => ({ sent: { json: { name: "中文项目", source_type: "zip" } } }),
  listProjects: () => ({ sent: { query: { limit: "2" } } }),
  readProject: ({ projectId }) => ({ params: { id: projectId } }),
  listDeletedProjects: () => ({}),
  readProjectStats: () => ({}),
  updateProject: ({ projectId }) => ({ params: { id: projectId }, sent: { json: { description: "照旧" } } }),
  deleteProject: async () => ({ params: { id: await teamProject() } }),
  deleteProjectPermanently: async () => ({ params: { id: await teamProject() } }),
  restoreProject: async () => ({ params: { id: await teamProject() } }),
  listMembers: ({ projectId }) => ({ params: { id: projectId } }),
  addMember: async () => ({ params: { id: await teamProject() }, sent: { json: { user_id: outsider.id } } }),
  changeMember: async () => ({
    params: { id: await teamProject(), member_id: team.viewer.id },
    sent: { json: { role: "member" } },
  }),
  removeMember: async () => ({ params: { id: await teamProject(), member_id: team.viewer.id } }),
  uploadZip: async ({ projectId }) => ({
    params: { id: projectId },
    sent: { multipart: { file: await zipOf(vulnerableApp) } },
  }),
  beginZipUpload: ({ projectId }) => ({ params: { id: projectId }, sent: { json: { filename: "源码.zip" } } }),
  finishZipUpload: ({ projectId, uploadId }) => ({ params: { id: projectId, upload_id: uploadId } }),
  readZipInfo: ({ projectId }) => ({ params: { id: projectId } }),
  downloadZip: ({ projectId }) => ({ params: { id: projectId }, status: 302 }),
  deleteZip: async () => ({ params: { id: await teamProject() } }),
  listProjectFiles: ({ projectId }) => ({
    params: { id: projectId },
    sent: { query: { exclude_patterns: '["**/*.md"]' } },
  }),
  listBranches: async () => ({ params: { id: await repositoryProject() } }),
  testProjectAccess: async () => ({ params: { id: await repositoryProject() } }),
  scanRepository: ({ repositoryId }) => ({
    params: { id: repositoryId },
    sent: { json: { branch_name: "feature/x", exclude_patterns: ["*.js"] } },
  }),
  scanStoredZip: ({ projectId }) => ({
    sent: { query: { project_id: projectId }, json: { exclude_patterns: ["*.js"] } },
  }),
  scanUploadedZip: async ({ projectId }) => ({
    sent: {
      multipart: {
        project_id: projectId,
        file: await zipOf(vulnerableApp),
        scan_config: '{"file_paths":["shop/app.py"]}',
      },
    },
  }),
  listTasks: ({ projectId }) => ({ sent: { query: { project_id: projectId } } }),
  readTask: ({ taskId }) => ({ params: { id: taskId } }),
  cancelTask: ({ taskId }) => ({ params: { id: taskId }, status: 409 }),
  retryTask: async ({ projectId }) => ({
    params: { id: await taskIn(projectId) },
    project: projectId,
    status: 409,
  }),
  analyseCode: () => ({ sent: { json: { code: 'eval(input("> "))', language: "Python", output_language: "en" } } }),
  listInstantAnalyses: () => ({ sent: { query: { limit: "2" } } }),
  deleteInstantAnalysis: async () => {
    const json = { code: "x = 1", language: "python" };
    return { params: { id: (await owner.ok("POST", "/api/v1/scan/instant", { json })).analysis_id } };
  },
  clearInstantAnalyses: () => ({}),
  readCoverage: ({ taskId }) => ({ params: { id: taskId }, sent: { query: { status: "analysed", limit: "1" } } }),
  compareTasks: ({ taskId }) => ({ params: { id: taskId }, sent: { query: { base: taskId, state: "persisting" } } }),
  listIssues: ({ taskId }) => ({
    params: { id: taskId },
    sent: { query: { severity: "high", issue_type: "security", path_prefix: "shop/" } },
  }),
  readIssue: ({ taskId, issueId }) => ({ params: { id: taskId, issue_id: issueId } }),
  triageIssue: ({ taskId, issueId }) => ({
    params: { id: taskId, issue_id: issueId },
    sent: { json: { status: "resolved", note: "已修复" } },
  }),
  readTaskReport: ({ taskId }) => ({ params: { id: taskId } }),
  readInstantReport: async () => {
    const json = { code: 'eval(input("> "))', language: "python" };
    return { params: { id: (await owner.ok("POST", "/api/v1/scan/instant", { json })).analysis_id } };
  },
  listPromptTemplates: () => ({ sent: { query: { template_type: "system", is_active: "true", limit: "5" } } }),
  createPromptTemplate: () => ({ sent: { json: { name: "我的模板", content_zh: "审计 {code}" } } }),
  // Without a model it says so, with 200.
  testPromptTemplate: () => ({ sent: { json: { content: "Audit {code}", code: "eval(x)", output_language: "en" } } }),
  readPromptTemplate: ({ templateId }) => ({ params: { id: templateId } }),
  updatePromptTemplate: ({ templateId }) => ({ params: { id: templateId }, sent: { json: { is_active: false } } }),
  deletePromptTemplate: async () => ({ params: { id: await ownTemplate() } }),
  setDefaultPromptTemplate: async () => {
    const { items } = await owner.ok("GET", "/api/v1/prompts");
    return { params: { id: items.find((one: { is_default: boolean }) => one.is_default).id } };
  },
  listRuleSets: () => ({ sent: { query: { language: "all", rule_type: "security", limit: "5" } } }),
  createRuleSet: () => ({ sent: { json: { name: "我的规则", rules: [ownRule] } } }),
  importRuleSet: async ({ ruleSetId }) => ({
    sent: { json: await owner.ok("GET", `/api/v1/rules/${ruleSetId}/export`) },
  }),
  readRuleSet: ({ ruleSetId }) => ({ params: { id: ruleSetId } }),
  updateRuleSet: ({ ruleSetId }) => ({ params: { id: ruleSetId }, sent: { json: { sort_order: 3 } } }),
  deleteRuleSet: async () => ({ params: { id: await ownRuleSet() } }),
  exportRuleSet: ({ ruleSetId }) => ({ params: { id: ruleSetId } }),
  addRule: ({ ruleSetId }) => ({ params: { id: ruleSetId }, sent: { json: ownRule } }),
  updateRule: async ({ ruleSetId }) => ({ params: await addedRule(ruleSetId), sent: { json: { severity: "low" } } }),
  deleteRule: async ({ ruleSetId }) => ({ params: await addedRule(ruleSetId) }),
  toggleRule: async ({ ruleSetId }) => ({ params: await addedRule(ruleSetId) }),
  generateSshKeyPair: () => ({ sent: { json: { type: "ed25519" } } }),
  readSshKey: () => ({}),
  deleteSshKey: async () => {
    await owner.ok("POST", "/api/v1/ssh-keys/generate");
    return {};
  },
  testSshKey: async () => {
    await owner.ok("POST", "/api/v1/ssh-keys/generate");
    // Refused before anything is sent, and told in a good answer.
    return { sent: { json: { repo_url: "git@127.0.0.1:owner/name.git" } } };
  },
  forgetKnownHosts: () => ({}),
  exportDatabase: ({ projectId }) => ({ sent: { query: { project_id: projectId } } }),
  importDatabase: async () => {
    const data = { user: { id: (await owner.ok("GET", "/api/v1/users/me")).id }, projects: [] };
    return { sent: { multipart: { file: new Blob([JSON.stringify({ data })]) } } };
  },
  // The owner's own would take this world away.
  clearDatabase: () => ({ as: member }),
  readDatabaseStats: () => ({}),
  readDatabaseHealth: () => ({}),
  listMigrations: () => ({ sent: { query: { limit: "5" } } }),
  readHealth: () => ({}),
  readWelcome: () => ({}),
  readOpenapi: () => ({}),
  readDocs: () => ({}),
  readDocsViewer: () => ({}),
};

/** A service of its own, as what else its functions write must not come from another test. */
let service: Awaited<ReturnType<typeof startTestService>>;
let writes: RecordedWrites;
let anyone: Api;
let owner: Api;
let stranger: Api;
/** Signed in, but no administrator. */
let member: Api;
let world: World;

/** A user to be created, another one at each call. */
const newcomer = () => ({
  email: `bob-${crypto.randomUUID()}@example.test`,
  password: "grain orbit velvet",
  full_name: "Bob",
});
/** People with a part in the owner's projects, one for each role, and one with none. */
let team: Record<"viewer" | "member" | "admin", { id: string; api: Api }>;
let outsider: { id: string; api: Api };
let outsiderToken: { api: Api; token: string };
let memberToken: { api: Api; token: string };

beforeAll(async () => {
  service = await startTestService();
  writes = new RecordedWrites(service.cloud.gateway);
  anyone = new Api(service.url);
  owner = await anyone.as(alice);
  stranger = await anyone.as(mallory);
  team = { viewer: await person("viewer"), member: await person("member"), admin: await person("admin") };
  outsider = await person("outsider");
  const project = await owner.projectWith(vulnerableApp);
  await join(project.id);
  const { task_id } = await owner.ok("POST", scanning, { query: { project_id: project.id } });
  await owner.task(task_id);
  const [issue] = await owner.ok("GET", `/api/v1/tasks/${task_id}/issues`);
  const upload = await owner.ok("POST", `/api/v1/projects/${project.id}/zip/uploads`, { json: { filename: "a.zip" } });
  await sendForm(upload.url, upload.fields, await zipOf(vulnerableApp));
  const bob = newcomer();
  const user = await owner.ok("POST", "/api/v1/users", { json: bob });
  member = await anyone.as(bob);
  [outsiderToken, memberToken] = [await withToken(outsider.api), await withToken(member)];
  world = {
    projectId: project.id,
    repositoryId: await repositoryProject(),
    taskId: task_id,
    issueId: issue.id,
    uploadId: upload.upload_id,
    runId: await runOf((await owner.ok("GET", "/api/v1/users/me")).id),
    userId: user.id,
    otherUserId: (await owner.ok("POST", "/api/v1/users", { json: newcomer() })).id,
    templateId: await ownTemplate(),
    ruleSetId: await ownRuleSet(),
  };
});

afterAll(() => service.stop());

const isAdministrators = ({ operation }: ListedOperation) => operation.contract.auth === "administrator";

/** An id of nothing. */
const nowhere = "0198a000-0000-7000-8000-000000000000";

/** What each operation that reaches a project, by its own id or by that of a task in it, does with it. */
const access: Partial<Record<Names, Action>> = {
  readProject: "read",
  updateProject: "manage",
  deleteProject: "delete",
  restoreProject: "delete",
  deleteProjectPermanently: "delete",
  listMembers: "read",
  addMember: "manage",
  changeMember: "manage",
  removeMember: "manage",
  uploadZip: "scan",
  beginZipUpload: "scan",
  finishZipUpload: "scan",
  readZipInfo: "read",
  downloadZip: "read",
  deleteZip: "manage",
  listProjectFiles: "read",
  listBranches: "read",
  testProjectAccess: "read",
  scanRepository: "scan",
  scanStoredZip: "scan",
  scanUploadedZip: "scan",
  estimateScan: "scan",
  listTasks: "read",
  readTask: "read",
  cancelTask: "triage",
  retryTask: "scan",
  readCoverage: "read",
  compareTasks: "read",
  listIssues: "read",
  readTaskReport: "read",
  readIssue: "read",
  triageIssue: "triage",
  exportDatabase: "delete",
};

const hidden = ["project_not_found", "task_not_found"] as const;

it("says here of every operation that reaches a project what it does with it", () => {
  const refusing = operationList.filter(({ operation }) =>
    hidden.some((code) => operation.contract.failures.includes(code)),
  );
  expect(Object.keys(access).toSorted()).toEqual(refusing.map(({ name }) => name).toSorted());
});

// All that is asked of an operation is asked in a row, while its function is warm.
describe.each(operationList.map((listed) => [listed.name as Names, listed] as const))("%s", (name, listed) => {
  const { contract } = listed.operation;
  const isGuarded = contract.auth !== "anyone";
  const isForAdministrators = isAdministrators(listed);
  const hasParameters = parametersOf(listed).length > 0;
  const action = access[name];
  // A refused request leaves all as it was, so that the next one may be about the same.
  let refusing: Promise<Sampled> | undefined;
  const toRefuse = () => {
    refusing ??= Promise.resolve(samples[name](world));
    return refusing;
  };

  it("answers its documented shape to a good request", async () => {
    const { answer, status } = await call(owner, listed);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
    const { success } = contract;
    if (status === 200 && !isRaw(success)) expect(success.parse(answer.body)).toEqual(answer.body);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  if (isGuarded)
    it("answers 401 to nobody, to rubbish and to a forged token", async () => {
      const [header, payload] = (owner.token as string).split(".");
      const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${payload}.`;
      const otherSignature = `${header}.${payload}.${Buffer.alloc(64, 1).toString("base64url")}`;
      const sample = await toRefuse();
      for (const token of [null, "rubbish", unsigned, otherSignature, "x".repeat(5000)]) {
        const { answer, written } = await call(owner, listed, { token }, sample);
        expect(answer).toMatchObject({ status: 401, body: { code: "not_authenticated" } });
        expect(written).toEqual([]);
        // API Gateway renames the header that a function sends; browsers must not answer it with a prompt of their own.
        expect(answer.headers.get("x-amzn-remapped-www-authenticate")).toBe("Bearer");
      }
    });

  if (hasParameters)
    it("answers 422 to ids that are no ids", async () => {
      const sample = await toRefuse();
      for (const junk of ["1", "not-an-id", "%2e%2e%2f", "T%23x", "00000000-0000-0000-0000-00000000000g"]) {
        const params = Object.fromEntries(parametersOf(listed).map((name) => [name, junk]));
        const { answer } = await call(owner, listed, {}, { ...sample, params });
        expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
      }
    });

  if (isForAdministrators)
    it("answers 403 to who is no administrator", async () => {
      const { answer, written } = await call(member, listed, {}, await toRefuse());
      expect(answer).toMatchObject({ status: 403, body: { code: "permission_denied" } });
      expect(written).toEqual([]);
    });

  if (isForAdministrators && hasParameters)
    it("answers 404 to an administrator where nothing is", async () => {
      const params = Object.fromEntries(parametersOf(listed).map((name) => [name, nowhere]));
      const { answer, written } = await call(owner, listed, {}, { ...(await toRefuse()), params });
      expect([answer.status, written]).toEqual([404, []]);
    });

  if (isGuarded && namesSomething(listed))
    it("answers a stranger as if nothing were there", async () => {
      const sample = await toRefuse();
      const foreign = await call(stranger, listed, {}, sample);
      const params = Object.fromEntries(parametersOf(listed).map((name) => [name, nowhere]));
      const { sent = {} } = sample;
      const query = sent.query?.project_id ? { ...sent.query, project_id: nowhere } : sent.query;
      const multipart = sent.multipart?.project_id ? { ...sent.multipart, project_id: nowhere } : sent.multipart;
      const json = projectIn(sent.json) ? { ...(sent.json as object), project_id: nowhere } : sent.json;
      const missing = await call(stranger, listed, { query, multipart, json }, { ...sample, params });
      expect(foreign.answer.status).toBe(404);
      expect([foreign.written, missing.written]).toEqual([[], []]);
      expect({ ...foreign.answer.body, request_id: "" }).toEqual({ ...missing.answer.body, request_id: "" });
    });

  if (contract.body && contract.bodyType === undefined)
    it("refuses a broken body with a clear error", async () => {
      const json = { "Content-Type": "application/json" };
      const sample = await toRefuse();
      for (const [raw, headers, status, code] of [
        ["{", json, 422, "invalid_json"],
        ["[".repeat(1000), json, 422, "invalid_json"],
        ['"text"', json, 422, "validation_failed"],
        ["{}", { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
      ] as const) {
        const { answer } = await call(owner, listed, { raw, headers, json: undefined }, sample);
        expect(answer).toMatchObject({ status, body: { code } });
      }
      const raw = new Uint8Array([0x22, 0xff, 0x22]);
      const { answer } = await call(owner, listed, { raw, headers: json, json: undefined }, sample);
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid_json" } });
    });

  if (action)
    it("does not exist for whoever has no part in the project", async () => {
      const sample = await toRefuse();
      // The stranger is a system administrator, which is no role in a project.
      for (const api of [outsider.api, stranger]) {
        const { answer, written } = await call(api, listed, {}, sample);
        expect(answer).toMatchObject({ status: 404, body: { code: expect.stringMatching(hidden.join("|")) } });
        expect(written).toEqual([]);
      }
    });

  if (action)
    it("answers 403 to a role that is too low, and serves all others", async () => {
      const needed = MemberRole.options.indexOf(roleFor(action));
      for (const [role, { api }] of Object.entries(team)) {
        // To leave is everybody's own right, and the sample removes the viewer.
        if (name === "removeMember" && role === "viewer") continue;
        const { answer, written } = await call(api, listed);
        const refused = answer.status === 403 || hidden.includes(answer.body?.code);
        expect([role, refused]).toEqual([role, MemberRole.options.indexOf(role as MemberRole) < needed]);
        if (!refused) continue;
        expect(answer).toMatchObject({ status: 403, body: { code: "permission_denied" } });
        expect(written).toEqual([]);
      }
    });

  if (action && isActiveOnly(action))
    it("is refused while the project is in the recycle bin", async () => {
      const project = await owner.projectWith(vulnerableApp);
      const sample = await samples[name]({ ...world, projectId: project.id });
      const { query, multipart, json } = sample.sent ?? {};
      const binned =
        sample.project ?? sample.params?.id ?? query?.project_id ?? multipart?.project_id ?? projectIn(json);
      await owner.ok("DELETE", `/api/v1/projects/${binned}`);
      const { answer } = await send(owner, listed, sample);
      expect(answer).toMatchObject({ status: 409, body: { code: "project_in_recycle_bin" } });
    });

  if (isGuarded && (namesSomething(listed) || isForAdministrators))
    it("writes no more than the notes of an API token and of a key that makes repeating safe when it refuses a request with both", async () => {
      const { api, token } = isForAdministrators ? memberToken : outsiderToken;
      const headers = { "Idempotency-Key": randomUUID() };
      const { answer, written } = await call(api, listed, { token, headers }, await toRefuse());
      expect(answer.status).toBe(isForAdministrators ? 403 : 404);
      // Who is no administrator is refused before the key is looked at. A refusal gives it back, so that the same key may try again.
      const claimed = contract.idempotent && !isForAdministrators;
      const claim = claimed ? ["dynamodb:PutItem IDEM", "dynamodb:DeleteItem IDEM"] : [];
      const use = "dynamodb:PutItem TOKUSE";
      expect(written.filter((write) => write !== use)).toEqual(claim);
      // Once an hour and process.
      expect(written.filter((write) => write === use).length).toBeLessThanOrEqual(1);
    });
});

it("records what a served request writes, as it would for a refused one", async () => {
  const createProject = operationList.find(({ name }) => name === "createProject") as ListedOperation;
  const { written } = await call(owner, createProject);
  // The project and its owner's counters; the platform's own entry in the audit log.
  expect(written).toEqual(["dynamodb:PutItem P", "dynamodb:UpdateItem STATS", "dynamodb:PutItem AUDIT"]);
});

it("is found with and without a trailing slash, without a redirect", async () => {
  for (const path of ["/api/v1/projects", "/api/v1/projects/", "/api/v1/tasks", "/api/v1/tasks/"]) {
    expect((await owner.call("GET", path)).status).toBe(200);
  }
});

describe("what is no operation", () => {
  it("answers 404 in the shape of all errors", async () => {
    for (const [method, path] of [
      ["GET", "/api/v1/nothing"],
      ["DELETE", "/api/v1/users/me"],
      ["GET", "/api/v2/projects"],
      ["GET", "/../../etc/passwd"],
    ] as const) {
      const { status, body } = await owner.call(method, path);
      expect({ status, body }).toMatchObject({
        status: 404,
        body: { code: "route_not_found", detail: expect.any(String) },
      });
    }
  });

  it("refuses a body over the limits of API Gateway and of Lambda, points at the direct upload, and stores nothing", async () => {
    const project = await owner.ok("POST", "/api/v1/projects", { json: { name: "big", source_type: "zip" } });
    for (const megabytes of [5, 11]) {
      const file = new Blob([new Uint8Array(megabytes * 1024 * 1024)]);
      const { status, body } = await owner.call("POST", `/api/v1/projects/${project.id}/zip`, { multipart: { file } });
      expect({ status, body }).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
      expect(body.detail).toContain("/zip/uploads");
    }
    expect(await owner.ok("GET", `/api/v1/projects/${project.id}/zip`)).toMatchObject({ has_file: false });
  });
});

/** Somebody new who may sign in. */
async function person(name: string): Promise<{ id: string; api: Api }> {
  const account = { email: `${name}@example.test`, password: `long enough for ${name}` };
  const { id } = await owner.ok("POST", "/api/v1/users/", { json: { ...account, full_name: name } });
  return { id, api: await anyone.as(account) };
}

/** The same person by an API token that may do all they may. */
async function withToken(api: Api): Promise<{ api: Api; token: string }> {
  const { token } = await api.ok("POST", "/api/v1/users/me/tokens", { json: { name: "t", scope: "all" } });
  return { api, token };
}

/** Lets the team work on a project of the owner. */
async function join(projectId: string): Promise<void> {
  for (const [role, { id }] of Object.entries(team))
    await owner.ok("POST", `/api/v1/projects/${projectId}/members`, { json: { user_id: id, role } });
}

/** A run with an item and parameters, as the actor-learner services leave it. */
async function runOf(tenant: string): Promise<string> {
  useAsEnvironment(service.cloud);
  const { id } = await ensureRun(tenant, "contract", new Date());
  const log = await openRunLog(id, { ownerId: "contract" });
  await log.append({ kind: "transition", payload: Buffer.from("step") });
  await log.close();
  await pushParameters(id, Buffer.from("weights"), new Date());
  return id;
}

/** A project of its own for an operation that leaves it changed. */
async function teamProject(): Promise<string> {
  const { id } = await owner.ok("POST", "/api/v1/projects", { json: { name: "changed", source_type: "zip" } });
  await join(id);
  return id;
}

/** A task of this project, whatever has become of it. */
async function taskIn(projectId: string): Promise<string> {
  if (projectId === world.projectId) return world.taskId;
  return (await owner.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: projectId } })).task_id;
}

/** A repository at a host that nobody asks: tests reach no network. */
async function repositoryProject(): Promise<string> {
  // Refused before anything is sent: the scan of it ends as failed.
  const json = { name: "git", repository_type: "github", repository_url: "https://127.0.0.1/owner/name" };
  const { id } = await owner.ok("POST", "/api/v1/projects", { json });
  await join(id);
  return id;
}

/** A template of the owner's, another one at each call. */
async function ownTemplate(): Promise<string> {
  return (await owner.ok("POST", "/api/v1/prompts", { json: { name: "t", content_en: "Audit {code}" } })).id;
}

const ownRule = { rule_code: "C1", name: "no eval", category: "security", pattern: "\\beval\\(" };

/** A rule set of the owner's, another one at each call. */
async function ownRuleSet(): Promise<string> {
  return (await owner.ok("POST", "/api/v1/rules", { json: { name: "r", rules: [ownRule] } })).id;
}

/** A rule in a set of the owner's, another one at each call. */
async function addedRule(id: string): Promise<{ id: string; rule_id: string }> {
  return { id, rule_id: (await owner.ok("POST", `/api/v1/rules/${id}/rules`, { json: ownRule })).id };
}

/**
 * Sends an operation's sample request, changed where the test says so.
 * @param given one that may be sent again, as it was only refused
 */
async function call(api: Api, listed: ListedOperation, change: Sent = {}, given?: Sampled) {
  const { params, sent, as = owner, status = 200 } = given ?? (await samples[listed.name as Names](world));
  const request = { params: params ?? {}, sent: { ...sent, ...change } };
  return { ...(await send(api === owner ? as : api, listed, request)), status };
}

/** @returns the answer, and what the operation's function has written for it */
async function send(
  api: Api,
  { name: operationName, operation: { contract } }: ListedOperation,
  { params, sent }: Sampled,
) {
  const path = fullPath(contract).replace(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? name);
  writes.clear();
  const answer = await api.call(contract.method, path, sent);
  return { answer, written: writes.by(operationName) };
}

const parametersOf = (listed: ListedOperation) =>
  [...fullPath(listed.operation.contract).matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** True for operations that reach an object by id, in the path or elsewhere. */
const namesSomething = (listed: ListedOperation) =>
  // A provider is nobody's.
  (parametersOf(listed).length > 0 && !isAdministrators(listed) && listed.name !== "listEmbeddingModels") ||
  ["scanStoredZip", "scanUploadedZip", "listTasks", "estimateScan", "exportDatabase"].includes(listed.name);

/** The project that a body names. */
const scanning = "/api/v1/scan/scan-stored-zip";

const projectIn = (json: unknown) => (json as { project_id?: string } | undefined)?.project_id;
