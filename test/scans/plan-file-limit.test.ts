import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceUserConfig } from "../../functions/config/user-config-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { getJson } from "../../functions/platform/object-store.ts";
import { newProject, ProjectDraft } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { conclude } from "../../functions/scans/conclusion.ts";
import type { Plan } from "../../functions/scans/plan.ts";
import { zipSubject } from "../../functions/scans/start-scan.ts";
import { newTask, scanKeys } from "../../functions/scans/task.ts";
import { createTask, findTask } from "../../functions/scans/task-store.ts";
import { planScan } from "../../functions/scans/workflow/plan-scan.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { zipOf } from "../support/api.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const files = ["a.py", "b.py", "c.py", "d.py"];

/** Plans a scan of four files by a member whose settings these are; the project's owner has said "1". */
async function planned(maxAnalyzeFiles: number | null, filePaths: string[] | null = null) {
  const [owner, member] = [await storedUser(), await storedUser()];
  for (const [userId, limit] of [
    [owner.id, 1],
    [member.id, maxAnalyzeFiles],
  ] as const) {
    const said = { llmConfig: {}, otherConfig: { maxAnalyzeFiles: limit } };
    await replaceUserConfig(null, { ...said, userId, createdAt: now().toISOString(), updatedAt: null, version: 1 });
  }
  const project = newProject(ProjectDraft.parse({ name: "p", source_type: "zip" }), uuid(), owner.id, now());
  await createProject(project);
  const bytes = Buffer.from(
    await (await zipOf(Object.fromEntries(files.map((path) => [path, "x = 1\n"])))).arrayBuffer(),
  );
  const zip = await storeArchive({ projectId: project.id, ownerId: owner.id, filename: "a.zip" }, bytes, now());
  const what = { filePaths, fullScan: true, excludePatterns: [], branchName: null };
  const config = { ...what, ruleSetId: null, promptTemplateId: null, budgetTokens: null, budgetUsd: null };
  const given = { id: uuid(), projectId: project.id, ownerId: owner.id, createdBy: member.id };
  const task = newTask({ ...given, config, ...zipSubject(zip) }, now());
  await createTask(task);
  await planScan.handle({ task_id: task.id, attempt: 1 } as never, now);
  const plan = (await getJson<Plan>({ bucket: environment().RESULTS_BUCKET, key: scanKeys(task.id, 1).plan })) as Plan;
  expect((await findTask(task.id))?.totalFiles).toBe(plan.accepted.length);
  const unlinked = { findings: [], coverage: [], unfinished: [] };
  const { warnings } = conclude(plan, unlinked, [], { model: true, coverage: [] });
  return { accepted: plan.accepted, warnings };
}

describe("the limit of files in the settings of who scans", () => {
  it("leaves the rest out, and the task says how many", async () => {
    const { accepted, warnings } = await planned(3);
    expect(accepted).toHaveLength(3);
    const left = files.filter((path) => !accepted.includes(path));
    expect(warnings).toEqual([{ code: "files_over_limit", count: 1, paths: left }]);
  });

  it.each([
    ["nothing is said", null],
    ["it is 0", 0],
    ["there are no more files", 4],
  ])("leaves nothing out when %s", async (_, limit) => {
    expect(await planned(limit)).toMatchObject({ accepted: expect.objectContaining({ length: 4 }), warnings: [] });
  });

  it("does not count for files that are named", async () => {
    const { accepted, warnings } = await planned(1, ["b.py", "d.py"]);
    expect(accepted.toSorted()).toEqual(["b.py", "d.py"]);
    expect(warnings).toEqual([]);
  });
});
