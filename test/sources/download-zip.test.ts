import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../functions/platform/operation.ts";
import { newProject, type Project } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { downloadZip } from "../../functions/sources/download-zip.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { newUser } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { zipOf } from "../support/api.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const at = new Date();
const owner = newUser({ id: uuid(), email: "o@example.test", fullName: "O", role: "member", passwordHash: "" }, at);
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  await createUser(owner);
});
afterAll(() => data.stop());

async function zipProject(): Promise<Project> {
  const draft = { name: "p", source_type: "zip", default_branch: "main", programming_languages: [] } as const;
  const project = newProject({ ...draft, programming_languages: [] }, uuid(), owner.id, at);
  await createProject(project);
  return project;
}

const archive = async (text: string) => Buffer.from(await (await zipOf({ "a.py": text })).arrayBuffer());
const store = (project: Project, bytes: Buffer, filename = "源码 (1).zip") =>
  storeArchive({ projectId: project.id, ownerId: owner.id, filename }, bytes, at);

type Redirect = Reply<{ url: string; expires_at: string }>;
const download = (project: Pick<Project, "id">, caller = owner): Promise<Redirect> =>
  downloadZip.handle({ params: { id: project.id }, caller, now: () => at, language: "en" } as never) as never;
const follow = async (reply: Redirect) => fetch(reply.headers.Location as string);
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe("downloading a project's ZIP", () => {
  it("leads to the very bytes that were stored, under the user's own name, for five minutes", async () => {
    const project = await zipProject();
    const bytes = await archive(randomBytes(200_000).toString("hex"));
    await store(project, bytes);
    const reply = await download(project);
    expect(reply).toMatchObject({ status: 302, body: { url: reply.headers.Location } });
    expect(Date.parse(reply.body.expires_at)).toBe(at.getTime() + 300_000);
    expect(new URL(reply.body.url).searchParams.get("X-Amz-Expires")).toBe("300");
    const answer = await follow(reply);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="_ (1).zip"; filename*=UTF-8''%E6%BA%90%E7%A0%81%20%281%29.zip`,
      "cache-control": "private, no-store",
    });
    expect((await bytesOf(answer)).equals(bytes)).toBe(true);
  });

  it("leads to the newest archive after a replacement, while links given before keep to theirs", async () => {
    const project = await zipProject();
    const [first, second] = [await archive("print(1)"), await archive("print(2)")];
    await store(project, first);
    const before = await download(project);
    await store(project, second);
    expect((await bytesOf(await follow(await download(project)))).equals(second)).toBe(true);
    expect((await bytesOf(await follow(before))).equals(first)).toBe(true);
  });

  it("cannot be turned to another object, version or file name", async () => {
    const [project, other] = [await zipProject(), await zipProject()];
    await store(project, await archive("print(1)"));
    const foreign = await store(other, await archive("print(2)"));
    const { url } = (await download(project)).body;
    const changes: ((url: URL) => void)[] = [
      (link) => (link.pathname = link.pathname.replace(/\/zips\/.*/, `/${foreign.key}`)),
      (link) => link.searchParams.set("versionId", foreign.versionId as string),
      (link) => link.searchParams.delete("versionId"),
      (link) => link.searchParams.set("response-content-disposition", "inline"),
      (link) => link.searchParams.set("X-Amz-Expires", "604800"),
    ];
    for (const change of changes) {
      const link = new URL(url);
      change(link);
      expect((await fetch(link)).status).toBe(403);
    }
  });

  it("gives whatever name the file had back as a header that S3 and clients accept", async () => {
    const project = await zipProject();
    const bytes = await archive("print(1)");
    const names = fc.string({ unit: "binary", maxLength: 300 }).map((name) => `${name}.zip`);
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        await store(project, bytes, name);
        const answer = await follow(await download(project));
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-disposition")).toMatch(
          /^attachment; filename="[^"\\]+"; filename\*=UTF-8''\S+$/,
        );
        await answer.arrayBuffer();
      }),
      { numRuns: 30 },
    );
  });

  it("answers 400 without a ZIP, and 404 to a stranger", async () => {
    const project = await zipProject();
    await expect(download(project)).rejects.toMatchObject({ code: "zip_not_stored" });
    await store(project, await archive("print(1)"));
    await expect(download(project, { ...owner, id: uuid() })).rejects.toMatchObject({ code: "project_not_found" });
  });
});
