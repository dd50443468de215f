import { openAsBlob } from "node:fs";
import * as z from "zod";
import { IssueView } from "../../functions/issues/issue.ts";
import { ProjectView } from "../../functions/projects/project.ts";
import type { RuleFileDraft } from "../../functions/rules/rule-file-drafts.ts";
import { RuleSetView } from "../../functions/rules/rule-set.ts";
import { TaskView } from "../../functions/scans/task.ts";
import { StoredZipView } from "../../functions/sources/stored-zip.ts";
import { CannotScan } from "./cannot-scan.ts";
import { networkReason, type Transport } from "./transport.ts";
import type { Issue, Project, Task } from "./views.ts";

const UploadForm = z.object({
  upload_id: z.string(),
  url: z.string(),
  fields: z.record(z.string(), z.string()),
  max_bytes: z.number(),
});
export type UploadForm = z.infer<typeof UploadForm>;

/** The service takes no larger pages and no further offset. */
const pageOf = { projects: 100, issues: 1000 } as const;
const skipMax = 100_000;
const uploadTriesMax = 3;
/** The service forgets an upload after two hours. */
const uploadMilliseconds = 2 * 3_600_000;

/** The operations of the service that a scan needs, in the order it needs them. */
export class Client {
  private readonly transport: Transport;
  private readonly signal: AbortSignal;

  constructor(transport: Transport, signal: AbortSignal) {
    this.transport = transport;
    this.signal = signal;
  }

  /** Finds out at once whether the address and the token are right. */
  async greet(): Promise<void> {
    await this.get("/users/me", z.object({ id: z.string() }), {}, 2);
  }

  /** The caller's ZIP project of this name, the newest if there are several; created if there is none. */
  async project(name: string): Promise<Project> {
    for await (const { body } of this.pages("/projects", ProjectView, pageOf.projects)) {
      const known = body.find((project) => project.name === name && project.source_type === "zip");
      if (known) return known;
    }
    return this.post("/projects", ProjectView, { name, source_type: "zip" });
  }

  beginUpload(projectId: string, filename: string): Promise<UploadForm> {
    return this.post(`/projects/${projectId}/zip/uploads`, UploadForm, { filename });
  }

  /** Sends the archive straight to S3, read from the disk as it goes. @throws CannotScan upload_failed */
  async sendArchive(form: UploadForm, archive: string): Promise<void> {
    const blob = await openAsBlob(archive, { type: "application/zip" });
    for (let attempt = 1; ; attempt++) {
      const body = new FormData();
      for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
      body.set("file", blob, "archive.zip"); // S3 ignores what comes after the file
      const reason = await this.postForm(form.url, body);
      if (reason === null) return;
      if (!reason.passing || attempt === uploadTriesMax) throw new CannotScan("upload_failed", { reason: reason.text });
    }
  }

  finishUpload(projectId: string, uploadId: string): Promise<z.infer<typeof StoredZipView>> {
    return this.post(`/projects/${projectId}/zip/uploads/${uploadId}/finish`, StoredZipView);
  }

  async storedSha256(projectId: string): Promise<string | null> {
    const answer = z.object({ sha256: z.string().nullable() });
    return (await this.get(`/projects/${projectId}/zip`, answer)).sha256;
  }

  /** The system's rules on quality and performance, as far as its users have left them on. */
  async qualityRules(): Promise<RuleFileDraft[]> {
    const success = z.object({ items: z.array(RuleSetView) });
    const sets = await Promise.all(
      ["quality", "performance"].map((rule_type) => this.get("/rules", success, { rule_type, limit: 100 })),
    );
    return sets
      .flatMap(({ items }) => items.filter((set) => set.is_system))
      .flatMap(({ rules }) => rules.filter(({ enabled }) => enabled))
      .map(({ id: _id, rule_set_id: _set, english: _english, created_at: _at, updated_at: _on, ...draft }) => draft);
  }

  /** Makes a rule set of rules from files. @returns its id */
  async importRules(name: string, rules: readonly RuleFileDraft[]): Promise<string> {
    const body = { name: name.slice(0, 100), rules: rules.map(({ refusal: _, ...rule }) => rule) };
    return (await this.post("/rules/import", z.object({ id: z.string() }), body)).id;
  }

  /** Not stopped by the run's own signal: an interrupted run cleans up too. */
  async deleteRules(id: string): Promise<void> {
    await this.transport.call({ method: "DELETE", path: `/rules/${id}`, success: z.unknown(), tries: 2 });
  }

  /** Starts a scan and always waits for its id: one that nobody knows could not be cancelled. */
  async startScan(projectId: string, excludePatterns: readonly string[], ruleSetId: string | null): Promise<string> {
    const { body } = await this.transport.call({
      method: "POST",
      path: "/scan/scan-stored-zip",
      query: { project_id: projectId },
      body: { exclude_patterns: excludePatterns, ...(ruleSetId === null ? {} : { rule_set_id: ruleSetId }) },
      success: z.object({ task_id: z.string() }),
    });
    return body.task_id;
  }

  task(id: string): Promise<Task> {
    return this.get(`/tasks/${id}`, TaskView);
  }

  /** Not stopped by the run's own signal: that is when it is called. */
  async cancel(taskId: string): Promise<void> {
    await this.transport.call({ method: "POST", path: `/tasks/${taskId}/cancel`, success: z.unknown(), tries: 2 });
  }

  /** @returns all issues that the service lists, and how many it has */
  async issues(taskId: string): Promise<{ issues: Issue[]; total: number }> {
    const issues: Issue[] = [];
    let total = 0;
    for await (const page of this.pages(`/tasks/${taskId}/issues`, IssueView, pageOf.issues)) {
      issues.push(...page.body);
      total = page.total;
    }
    return { issues, total };
  }

  private async *pages<S extends z.ZodType>(path: string, row: S, limit: number) {
    for (let skip = 0; skip <= skipMax; skip += limit) {
      const success = z.array(row);
      const page = await this.transport.call({
        method: "GET",
        path,
        query: { skip, limit },
        success,
        signal: this.signal,
      });
      yield page;
      if (skip + page.body.length >= page.total || page.body.length === 0) return;
    }
  }

  private async postForm(url: string, body: FormData): Promise<{ text: string; passing: boolean } | null> {
    try {
      const signal = AbortSignal.any([this.signal, AbortSignal.timeout(uploadMilliseconds)]);
      const response = await fetch(url, { method: "POST", body, redirect: "error", signal });
      const answer = await response.text();
      if (response.ok) return null;
      const reason = /<Message>([^<]*)<\/Message>/.exec(answer)?.[1] ?? `HTTP ${response.status}`;
      return { text: reason, passing: response.status >= 500 };
    } catch (error) {
      this.signal.throwIfAborted();
      return { text: networkReason(error), passing: true };
    }
  }

  private async get<S extends z.ZodType>(path: string, success: S, query = {}, tries?: number): Promise<z.output<S>> {
    return (await this.transport.call({ method: "GET", path, query, success, tries, signal: this.signal })).body;
  }

  private async post<S extends z.ZodType>(path: string, success: S, body?: unknown): Promise<z.output<S>> {
    return (await this.transport.call({ method: "POST", path, body, success, signal: this.signal })).body;
  }
}
