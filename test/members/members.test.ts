import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addMember } from "../../functions/members/add-member.ts";
import { changeMember } from "../../functions/members/change-member.ts";
import { listMembers } from "../../functions/members/list-members.ts";
import type { MemberRole } from "../../functions/members/member.ts";
import { findMember, projectIdsOf } from "../../functions/members/member-store.ts";
import { removeMember } from "../../functions/members/remove-member.ts";
import type { Operation, Reply } from "../../functions/platform/operation.ts";
import { createProject } from "../../functions/projects/create-project.ts";
import { deleteProject } from "../../functions/projects/delete-project.ts";
import { listProjects } from "../../functions/projects/list-projects.ts";
import { readProject } from "../../functions/projects/read-project.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

let data: EmbeddedData;
let seconds = 0;
/** Each look at the clock is a second later, so that newest first has one answer. */
const now = () => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds++);

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
type Answer = any;

const as = (
  caller: User,
  operation: Operation,
  params: object = {},
  body: object = {},
  query: object = {},
): Promise<Answer> =>
  operation.handle({ params, body, query: { skip: 0, limit: 100, ...query }, caller, now, language: "en" } as never);

async function person(): Promise<User> {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: id, role: "member", passwordHash: "" }, now());
  await createUser(user);
  return user;
}

const owner = async () => {
  const user = await person();
  const body = { name: "p", source_type: "zip", default_branch: "main", programming_languages: [] };
  const project = await as(user, createProject, {}, body);
  return { user, id: project.id as string };
};

let creator: User;
let id: string;

beforeEach(async () => {
  const made = await owner();
  creator = made.user;
  id = made.id;
});

const join = async (role: MemberRole, by = creator): Promise<User> => {
  const user = await person();
  await as(by, addMember, { id }, { user_id: user.id, role });
  return user;
};
const change = (by: User, member: User, role: MemberRole) =>
  as(by, changeMember, { id, member_id: member.id }, { role });
const remove = (by: User, member: User) => as(by, removeMember, { id, member_id: member.id });
const rows = async () => ((await as(creator, listMembers, { id })) as Reply<{ user_id: string; role: string }[]>).body;

describe("members", () => {
  it("are listed newest first, with who created the project as the last", async () => {
    const viewer = await join("viewer");
    const admin = await join("admin");
    expect((await rows()).map(({ user_id, role }) => [user_id, role])).toEqual([
      [admin.id, "admin"],
      [viewer.id, "viewer"],
      [creator.id, "owner"],
    ]);
    const { body, headers } = await as(viewer, listMembers, { id }, {}, { skip: 1, limit: 1 });
    expect(body).toMatchObject([{ id: viewer.id, user: { id: viewer.id, full_name: viewer.fullName } }]);
    expect(headers["X-Total-Count"]).toBe("3");
  });

  it("see the project in their list, also from the recycle bin, until they leave", async () => {
    const viewer = await join("viewer");
    const listed = async (include_deleted = false) =>
      (await as(viewer, listProjects, {}, {}, { include_deleted })).body.map((project: { id: string }) => project.id);
    expect(await listed()).toEqual([id]);
    await as(creator, deleteProject, { id });
    expect([await listed(), await listed(true)]).toEqual([[], [id]]);
    await remove(viewer, viewer);
    expect(await listed(true)).toEqual([]);
    await expect(as(viewer, readProject, { id })).rejects.toMatchObject({ code: "project_not_found" });
  });

  it("lose or gain rights with the very next request", async () => {
    const member = await join("viewer");
    await expect(change(member, member, "admin")).rejects.toMatchObject({ code: "permission_denied" });
    await change(creator, member, "admin");
    const viewer = await join("viewer", member);
    await change(member, viewer, "member");
    await change(creator, member, "viewer");
    await expect(change(member, viewer, "viewer")).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("become owners by owners only, and who created the project stays one", async () => {
    const admin = await join("admin");
    const second = await join("owner");
    await expect(join("owner", admin)).rejects.toMatchObject({ code: "permission_denied" });
    for (const role of ["owner", "viewer"] as const)
      await expect(change(admin, role === "owner" ? admin : second, role)).rejects.toMatchObject({
        code: "permission_denied",
      });
    await expect(remove(admin, second)).rejects.toMatchObject({ code: "permission_denied" });
    for (const by of [creator, second, admin]) {
      await expect(change(by, creator, "viewer")).rejects.toMatchObject({ code: "project_owner_fixed" });
      await expect(remove(by, creator)).rejects.toMatchObject({ code: "project_owner_fixed" });
    }
    await change(second, admin, "owner");
    await as(admin, deleteProject, { id });
  });

  it("are refused twice, when they do not exist and when they created the project", async () => {
    const member = await join("member");
    const add = (user_id: string) => as(creator, addMember, { id }, { user_id, role: "member" });
    await expect(add(member.id)).rejects.toMatchObject({ code: "already_member" });
    await expect(add(creator.id)).rejects.toMatchObject({ code: "already_member" });
    await expect(add(uuid())).rejects.toMatchObject({ code: "user_not_found" });
    await expect(remove(creator, await person())).rejects.toMatchObject({ code: "member_not_found" });
  });
});

describe("fifty clients at once", () => {
  const settled = async (calls: Promise<unknown>[]) => {
    const results = await Promise.allSettled(calls);
    const codes = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    return { won: results.length - codes.length, codes: [...new Set(codes)] };
  };
  const fifty = <T>(make: (n: number) => Promise<T>) => settled(Array.from({ length: 50 }, (_, n) => make(n)));

  it("add the same member once", async () => {
    const user = await person();
    const result = await fifty(() => as(creator, addMember, { id }, { user_id: user.id, role: "viewer" }));
    expect(result).toEqual({ won: 1, codes: ["already_member"] });
    expect(await projectIdsOf(user.id)).toEqual([id]);
  });

  it("swap the same member's role without losing a change that was answered", async () => {
    const member = await join("viewer");
    const result = await fifty((n) => change(creator, member, n % 2 ? "member" : "admin"));
    expect(result.won).toBeGreaterThan(0);
    expect(result.codes.filter((code) => code !== "stale_version")).toEqual([]);
    const [row] = await rows();
    expect(["member", "admin"]).toContain(row?.role);
    expect((await findMember(id, member.id))?.version).toBe(1 + result.won);
  });

  it("remove the same member once", async () => {
    const member = await join("viewer");
    const result = await fifty(() => remove(creator, member));
    expect(result.won).toBe(1);
    expect(await projectIdsOf(member.id)).toEqual([]);
  });
});
