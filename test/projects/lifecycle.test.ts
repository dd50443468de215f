import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addMember } from "../../functions/members/add-member.ts";
import type { Operation } from "../../functions/platform/operation.ts";
import { createProject } from "../../functions/projects/create-project.ts";
import { deleteProject } from "../../functions/projects/delete-project.ts";
import { listDeletedProjects } from "../../functions/projects/list-deleted-projects.ts";
import { listProjects } from "../../functions/projects/list-projects.ts";
import {
  changedProject,
  newProject,
  ProjectDraft,
  ProjectPatch,
  projectView,
} from "../../functions/projects/project.ts";
import { readProjectStats } from "../../functions/projects/read-project-stats.ts";
import { restoreProject } from "../../functions/projects/restore-project.ts";
import { updateProject } from "../../functions/projects/update-project.ts";
import { listTasks } from "../../functions/scans/list-tasks.ts";
import { newTask } from "../../functions/scans/task.ts";
import { createTask } from "../../functions/scans/task-store.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { wholeZip } from "../support/scanned.ts";

let data: EmbeddedData;
let seconds = 0;
/** Each look at the clock is a second later, so that newest first has one answer. */
const now = () => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds++);
let caller: User;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  caller = await person();
});

async function person(): Promise<User> {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: id, role: "member", passwordHash: "" }, now());
  await createUser(user);
  return user;
}

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
type Answer = any;

const call = (
  operation: Operation,
  sent: { params?: object; body?: object; query?: object },
  by = caller,
): Promise<Answer> => operation.handle({ ...sent, caller: by, now, language: "en" } as never);
const create = async (name = "p", by = caller): Promise<string> =>
  (await call(createProject, { body: ProjectDraft.parse({ name, source_type: "zip" }) }, by)).id;
const listed = async (operation: Operation, query: object = {}) => {
  const { body, headers } = await call(operation, { query: { skip: 0, limit: 100, include_deleted: false, ...query } });
  return { ids: body.map(({ id }: { id: string }) => id), total: Number(headers["X-Total-Count"]) };
};
const bin = (id: string) => call(deleteProject, { params: { id } });

describe("changing a project", () => {
  it("touches only what the body names", async () => {
    const id = await create("before");
    const update = (body: object) => call(updateProject, { params: { id }, body: ProjectPatch.parse(body) });
    const before = await update({});
    const after = await update({ description: "new" });
    expect(after).toEqual({ ...before, description: "new", updated_at: after.updated_at });
    expect(await update({ description: null })).toMatchObject({ name: "before", description: null });
  });

  it("loses no change of two that read the same version", async () => {
    const id = await create();
    const update = (body: object) => call(updateProject, { params: { id }, body: ProjectPatch.parse(body) });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => update({ name: `n${n}` })));
    const refused = results.filter((result) => result.status === "rejected");
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "stale_version" });
    expect(refused.length).toBeLessThan(20);
  });

  it("keeps every field that is not named, whatever is", () => {
    const value = {
      name: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
      description: fc.option(fc.string()),
      repository_url: fc.option(fc.webUrl()),
      default_branch: fc.constantFrom("main", "dev"),
      source_type: fc.constantFrom("zip", "repository"),
    };
    const draft = fc.record(value, { requiredKeys: ["name"] });
    fc.assert(
      fc.property(draft, fc.record(value, { requiredKeys: [] }), (given, patch) => {
        const project = newProject(ProjectDraft.parse(given), uuid(), uuid(), new Date(0));
        const before: Record<string, unknown> = projectView(project, null);
        const changed = changedProject(project, ProjectPatch.parse(patch));
        const after: Record<string, unknown> = projectView(changed, null);
        const sourceFields = patch.source_type ? ["repository_url", "repository_type"] : [];
        for (const name of Object.keys(before).filter((key) => !(key in patch) && !sourceFields.includes(key)))
          expect([name, after[name]]).toEqual([name, before[name]]);
        if (changed.sourceType === "zip") expect(changed.repositoryUrl).toBeNull();
      }),
    );
  });
});

describe("the repository of a project", () => {
  const accepted = (repository_url: unknown) => {
    const { success, data } = ProjectDraft.safeParse({ name: "p", repository_url });
    const patched = ProjectPatch.safeParse({ repository_url });
    expect([patched.success, patched.data?.repository_url]).toEqual([success, data?.repository_url]);
    return success ? data?.repository_url : "refused";
  };

  it.each([
    "https://github.com/owner/name.git",
    "http://git.corp.example:3000/owner/name",
    "https://gitlab.com/group/name/-/tree/main",
    "git@github.com:owner/name.git",
    "ssh://git@host.example:2222/~user/name",
  ])("may be %s", (url) => {
    expect(accepted(` ${url} `)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "ext::sh -c id",
    "git://host.example/name",
    "-oProxyCommand=id",
    "ssh://-oProxyCommand=id/x",
    "git@-oProxyCommand=id:x",
    "https://name:secret@host.example/owner/name",
    "https://ghp_token@github.com/owner/name",
    "https://host.example/a\r\nX-Header: b",
    "https://host.example/\u202ea/b",
    "host.example/owner/name",
    "https://",
  ])("cannot be %j", (url) => {
    expect(accepted(url)).toBe("refused");
  });

  it("can be left out", () => {
    expect([null, "", "  "].map(accepted)).toEqual([null, null, null]);
  });

  it.each(["-x", "a b", "a..b", "x\ny", "@{", "a~1", "HEAD"])("has no branch %j", (default_branch) => {
    expect(ProjectDraft.safeParse({ name: "p", default_branch }).success).toBe(false);
  });
});

describe("the recycle bin", () => {
  it("holds what was deleted, last deleted first, and gives it back", async () => {
    const [a, b, c] = [await create(), await create(), await create()] as [string, string, string];
    await bin(b);
    await bin(a);
    await bin(a);
    expect(await listed(listProjects)).toEqual({ ids: [c], total: 1 });
    expect(await listed(listProjects, { include_deleted: true })).toEqual({ ids: [c, b, a], total: 3 });
    expect(await listed(listDeletedProjects)).toEqual({ ids: [a, b], total: 2 });
    await call(restoreProject, { params: { id: b } });
    await call(restoreProject, { params: { id: b } });
    expect(await listed(listProjects)).toEqual({ ids: [c, b], total: 2 });
    expect(await call(readProjectStats, {})).toMatchObject({ total_projects: 3, active_projects: 2 });
  });

  it("lets no scan in, not even one that was authorised before", async () => {
    const id = await create();
    await bin(id);
    await expect(createTask(aTask(id, caller.id))).rejects.toMatchObject({ code: "project_in_recycle_bin" });
    expect(await call(readProjectStats, {})).toMatchObject({ total_tasks: 0 });
  });
});

describe("lists of own and shared projects", () => {
  it("are one list, newest first, page by page, with the exact total", async () => {
    const colleague = await person();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      const shared = n % 3 === 0;
      const id = await create(`p${n}`, shared ? colleague : caller);
      if (shared) await call(addMember, { params: { id }, body: { user_id: caller.id, role: "viewer" } }, colleague);
      ids.unshift(id);
    }
    await create("not shared", colleague);
    for (const limit of [1, 5, 12, 100]) {
      const seen: string[] = [];
      for (let skip = 0; skip < 12; skip += limit) {
        const page = await listed(listProjects, { skip, limit });
        expect(page.total).toBe(12);
        seen.push(...page.ids);
      }
      expect(seen).toEqual(ids);
    }

    const tasks: string[] = [];
    for (const [n, id] of ids.entries()) {
      const task = aTask(id, (11 - n) % 3 !== 0 ? caller.id : colleague.id);
      await createTask(task);
      tasks.unshift(task.id);
    }
    const pages = [await listed(listTasks, { skip: 0, limit: 7 }), await listed(listTasks, { skip: 7, limit: 7 })];
    expect(pages.flatMap((page) => page.ids)).toEqual(tasks);
    expect(pages.map(({ total }) => total)).toEqual([12, 12]);
    // Statistics count only what the caller created.
    expect(await call(readProjectStats, {})).toMatchObject({ total_projects: 8, total_tasks: 8 });
  });
});

describe("fifty clients at once", () => {
  it("create and delete projects and leave right counters", async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => create()));
    await Promise.all([...ids.slice(0, 20), ...ids.slice(0, 20)].map((id) => bin(id).catch(staleOnly)));
    const { total } = await listed(listProjects);
    expect(await call(readProjectStats, {})).toMatchObject({ total_projects: 50, active_projects: total });
    expect(total).toBe(30);
  });
});

const staleOnly = (error: { code: string }) => expect(error.code).toBe("stale_version");

const aTask = (projectId: string, ownerId: string) => newTask({ id: uuid(), projectId, ownerId, ...wholeZip }, now());
