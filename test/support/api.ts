import { setTimeout } from "node:timers/promises";
import JSZip from "jszip";
import { expect } from "vitest";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export interface Sent {
  readonly query?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly multipart?: Record<string, string | Blob>;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly token?: string | null;
}

/** Between two looks at a task: the service needs the processor more than we do. */
const pollMs = 50;

/** A client of the REST API as a front end is one: plain HTTP, JSON answers. */
export class Api {
  readonly url: string;
  readonly token: string | null;

  constructor(url: string, token: string | null = null) {
    this.url = url;
    this.token = token;
  }

  async as(person: { email: string; password: string }): Promise<Api> {
    const form = { username: person.email, password: person.password };
    const { status, body } = await this.call("POST", "/api/v1/auth/login", { form });
    expect(status).toBe(200);
    return new Api(this.url, body.access_token);
  }

  /** Somebody new, whom this administrator lets in: what others do in a shared service is none of theirs. */
  async newcomer(): Promise<Api> {
    const account = { email: `${crypto.randomUUID()}@example.test`, password: "grain orbit velvet" };
    await this.ok("POST", "/api/v1/users/", { json: { ...account, full_name: "Somebody" } });
    return this.as(account);
  }

  async call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const url = new URL(path, this.url);
    for (const [name, value] of Object.entries(sent.query ?? {})) url.searchParams.set(name, value);
    const token = sent.token === undefined ? this.token : sent.token;
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        "Accept-Language": "en",
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(sent.json !== undefined && { "Content-Type": "application/json" }),
        ...sent.headers,
      },
      body: bodyOf(sent),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Calls and expects 200. */
  async ok(method: string, path: string, sent: Sent = {}): Promise<Answer["body"]> {
    const { status, body } = await this.call(method, path, sent);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  }

  /** Stores an archive by the direct way: announce, send the form to S3, finish. @returns the answer to the last step */
  async uploadDirectly(projectId: string, archive: Blob, filename = "archive.zip"): Promise<Answer> {
    const path = `/api/v1/projects/${projectId}/zip/uploads`;
    const { upload_id, url, fields } = await this.ok("POST", path, { json: { filename } });
    await sendForm(url, fields, archive);
    return this.call("POST", `${path}/${upload_id}/finish`);
  }

  /** A ZIP project with this archive stored in it. */
  async projectWith(files: Record<string, string>, name = "a project"): Promise<{ id: string }> {
    const project = await this.ok("POST", "/api/v1/projects/", { json: { name, source_type: "zip" } });
    await this.ok("POST", `/api/v1/projects/${project.id}/zip`, { multipart: { file: await zipOf(files) } });
    return project;
  }

  /** Polls a task until `until` holds; the test's own time-out bounds it. */
  async task(
    id: string,
    until: (task: Answer["body"]) => boolean = (task) => task.completed_at !== null,
  ): Promise<Answer["body"]> {
    for (;;) {
      const task = await this.ok("GET", `/api/v1/tasks/${id}`);
      if (until(task)) return task;
      await setTimeout(pollMs);
    }
  }
}

function bodyOf(sent: Sent): string | URLSearchParams | FormData | Uint8Array<ArrayBuffer> | undefined {
  if (sent.raw !== undefined) return sent.raw;
  if (sent.json !== undefined) return JSON.stringify(sent.json);
  if (sent.form) return new URLSearchParams(sent.form);
  if (!sent.multipart) return undefined;
  const form = new FormData();
  for (const [name, value] of Object.entries(sent.multipart)) {
    if (typeof value === "string") form.set(name, value);
    else form.set(name, value, "archive.zip");
  }
  return form;
}

/** Sends a file with a presigned form, as a browser would. */
export async function sendForm(url: string, fields: Record<string, string>, file: Blob): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", file);
  const response = await fetch(url, { method: "POST", body: form });
  expect(response.status).toBe(204);
  return response;
}

export async function zipOf(files: Record<string, string | Uint8Array>): Promise<Blob> {
  const zip = new JSZip();
  for (const [path, content] of Object.entries(files)) zip.file(path, content);
  return new Blob([await zip.generateAsync({ type: "arraybuffer", compression: "DEFLATE" })], {
    type: "application/zip",
  });
}
