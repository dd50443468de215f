import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { getObject, s3 } from "../../functions/platform/object-store.ts";
import { newProject, type Project } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { deleteZip } from "../../functions/sources/delete-zip.ts";
import type { StoredZip } from "../../functions/sources/stored-zip.ts";
import { readStoredZip, storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { newUser } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { zipOf } from "../support/api.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const at = new Date();
const owner = newUser({ id: uuid(), email: "o@example.test", fullName: "O", role: "member", passwordHash: "" }, at);
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  await createUser(owner);
});
afterEach(() => {
  data.gateway.planFault = () => undefined;
});
afterAll(() => data.stop());

async function projectWithZip(): Promise<{ project: Project; zip: StoredZip }> {
  const draft = { name: "p", source_type: "zip", default_branch: "main", programming_languages: [] } as const;
  const project = newProject({ ...draft, programming_languages: [] }, uuid(), owner.id, at);
  await createProject(project);
  return { project, zip: await store(project) };
}

const store = async (project: Project) => {
  const bytes = Buffer.from(await (await zipOf({ "a.py": "print(1)" })).arrayBuffer());
  return storeArchive({ projectId: project.id, ownerId: owner.id, filename: "a.zip" }, bytes, at);
};
const remove = (project: Pick<Project, "id">, caller = owner) =>
  deleteZip.handle({ params: { id: project.id }, caller, now: () => at, language: "en" } as never);
const objectOf = ({ key }: StoredZip, versionId?: string) =>
  getObject({ bucket: environment().SOURCES_BUCKET, key, versionId });

/** Keys of the archives that are there now. */
async function archivesOf({ id }: Pick<Project, "id">): Promise<string[]> {
  const list = new ListObjectVersionsCommand({ Bucket: environment().SOURCES_BUCKET, Prefix: `zips/${id}/` });
  const { Versions = [] } = await s3.send(list);
  return Versions.flatMap(({ IsLatest, Key = "" }) => (IsLatest && Key.endsWith(".zip") ? [Key] : []));
}

describe("deleting a project's ZIP", () => {
  it("takes record and object away and leaves a running scan its version", async () => {
    const { project, zip } = await projectWithZip();
    expect(await remove(project)).toEqual({ message: "The ZIP file has been deleted" });
    expect(await readStoredZip(project.id)).toBeNull();
    expect(await objectOf(zip)).toBeNull();
    expect((await objectOf(zip, zip.versionId))?.length).toBe(zip.bytes);
  });

  it("is done as well when there is none, as often as it is asked", async () => {
    const { project } = await projectWithZip();
    for (let i = 0; i < 3; i++) expect(await remove(project)).toMatchObject({ message: expect.any(String) });
  });

  it("never leaves a record without its object, wherever it breaks off", async () => {
    const error = new AwsError("InternalError", "broken", 500);
    for (const [operation, when] of [
      ["DeleteItem", "before"],
      ["DeleteItem", "after"],
      ["DeleteObject", "before"],
      ["DeleteObject", "after"],
    ] as const) {
      const { project, zip } = await projectWithZip();
      data.gateway.planFault = (call) => (call.operation === operation ? { when, error } : undefined);
      await remove(project).catch(() => {});
      data.gateway.planFault = () => undefined;
      const left = await readStoredZip(project.id);
      if (left) expect(await objectOf(left)).not.toBeNull();
      else expect([operation, when]).not.toEqual(["DeleteItem", "before"]);
      await remove(project);
      expect(await readStoredZip(project.id)).toBeNull();
      expect((await objectOf(zip, zip.versionId))?.length).toBe(zip.bytes);
    }
  });

  it("leaves an upload of the same bytes that comes between its two steps alone", async () => {
    const { project } = await projectWithZip();
    let uploaded: StoredZip | undefined;
    const name = "an upload meanwhile";
    s3.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === "DeleteObjectCommand") uploaded ??= await store(project);
          return next(args);
        },
      { name, step: "initialize" },
    );
    await remove(project).finally(() => s3.middlewareStack.remove(name));
    expect(await readStoredZip(project.id)).toEqual(uploaded);
    expect(await objectOf(uploaded as StoredZip)).not.toBeNull();
  });

  it("takes no other upload's archive and leaves none behind when both happen at once, even of the same bytes", async () => {
    const { project } = await projectWithZip();
    const errors = await Promise.allSettled(
      Array.from({ length: 30 }, async (_, n) => (n % 3 === 0 ? remove(project) : store(project))),
    );
    expect(errors.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(await archivesOf(project)).toEqual([(await readStoredZip(project.id))?.key ?? []].flat());
    await store(project);
    expect(await archivesOf(project)).toEqual([(await readStoredZip(project.id))?.key]);
  });

  it("leaves no former archive behind when the answer to the record's write is lost", async () => {
    const { project } = await projectWithZip();
    let lost = 0;
    const error = new AwsError("InternalServerError", "lost", 500);
    data.gateway.planFault = ({ operation }) =>
      operation === "PutItem" && lost++ === 0 ? { when: "after", error } : undefined;
    const zip = await store(project);
    expect(lost).toBe(2);
    expect(await readStoredZip(project.id)).toEqual(zip);
    expect(await archivesOf(project)).toEqual([zip.key]);
  });

  it("is refused to a stranger, who learns nothing", async () => {
    const { project } = await projectWithZip();
    const stranger = { ...owner, id: uuid() };
    await expect(remove(project, stranger)).rejects.toMatchObject({ code: "project_not_found" });
    await expect(remove({ id: uuid() }, stranger)).rejects.toMatchObject({ code: "project_not_found" });
    expect(await readStoredZip(project.id)).not.toBeNull();
  });
});
