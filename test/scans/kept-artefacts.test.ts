import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import type { FileArtefact } from "../../functions/engine/artefact.ts";
import { environment } from "../../functions/platform/environment.ts";
import { getJson, putJson } from "../../functions/platform/object-store.ts";
import { newProject, type Project, ProjectDraft } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { type ChunkOfAttempt, readArtefacts } from "../../functions/scans/kept-artefacts.ts";
import { zipSubject } from "../../functions/scans/start-scan.ts";
import { newTask, scanKeys, type Task } from "../../functions/scans/task.ts";
import { changeTask, createTask } from "../../functions/scans/task-store.ts";
import { analyseChunk } from "../../functions/scans/workflow/analyse-chunk.ts";
import { planScan } from "../../functions/scans/workflow/plan-scan.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { zipOf } from "../support/api.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
let data: EmbeddedData;
let project: Project;

beforeAll(async () => {
  data = await startEmbeddedData();
  process.env.LAMBDA_TASK_ROOT = inject("taskRoot");
});
afterAll(() => data.stop());
beforeEach(async () => {
  project = await storedProject();
});

async function storedProject(): Promise<Project> {
  const made = newProject(
    ProjectDraft.parse({ name: "p", source_type: "zip" }),
    uuid(),
    (await storedUser()).id,
    now(),
  );
  await createProject(made);
  return made;
}

/** Plans a scan of these files, as it would begin. */
async function planned(files: Record<string, string>, of = project): Promise<Task> {
  const bytes = Buffer.from(await (await zipOf(files)).arrayBuffer());
  const zip = await storeArchive({ projectId: of.id, ownerId: of.ownerId, filename: "a.zip" }, bytes, now());
  const what = { filePaths: null, fullScan: true, excludePatterns: [], branchName: null };
  const config = { ...what, ruleSetId: null, promptTemplateId: null, budgetTokens: null, budgetUsd: null };
  const given = { id: uuid(), projectId: of.id, ownerId: of.ownerId, createdBy: of.ownerId };
  const task = newTask({ ...given, config, ...zipSubject(zip) }, now());
  await createTask(task);
  await planScan.handle({ task_id: task.id, attempt: 1 } as never, now);
  return task;
}

const chunksOf = async (task: Task, attempt = 1) =>
  (await getJson<{ chunk: number; earlier: ChunkOfAttempt[] }[]>({
    bucket: environment().RESULTS_BUCKET,
    key: scanKeys(task.id, attempt).chunks,
  })) as { chunk: number; earlier: ChunkOfAttempt[] }[];

/** Analyses every chunk as the workflow does. @returns the artefacts of all */
async function analysed(task: Task, attempt = 1): Promise<FileArtefact[]> {
  const artefacts: FileArtefact[] = [];
  for (const { chunk, earlier } of await chunksOf(task, attempt)) {
    await analyseChunk.handle({ task_id: task.id, attempt, chunk, earlier } as never, now);
    artefacts.push(...((await readArtefacts({ task_id: task.id, attempt, chunk }))?.artefacts ?? []));
  }
  return artefacts;
}

const completed = (task: Task) =>
  changeTask(task.id, {
    from: ["running"],
    attempt: 1,
    set: { status: "completed", completedAt: now().toISOString() },
  });

/** Makes what is kept of a scan recognisable: 7,777 lines in every file. @param change what else is different about it */
async function marked(task: Task, change: (kept: { analysis: string; artefacts: FileArtefact[] }) => void = () => {}) {
  for (const { chunk } of await chunksOf(task)) {
    const kept = structuredClone(await readArtefacts({ task_id: task.id, attempt: 1, chunk })) as never as {
      analysis: string;
      artefacts: FileArtefact[];
    };
    for (const { coverage } of kept.artefacts) coverage.lines = 7_777;
    change(kept);
    await putJson(environment().RESULTS_BUCKET, scanKeys(task.id, 1).artefacts(chunk), kept);
  }
}

const linesOf = (artefacts: readonly FileArtefact[]) =>
  Object.fromEntries(artefacts.map(({ coverage }) => [coverage.path, coverage.lines]));

const files = { "a.py": "x = 1\n", "b.py": "y = 2\n", "constructor.js": "z = 3;\n" };

it("is what an unchanged file gets when its project is scanned again, and only that", async () => {
  const first = await planned(files);
  await analysed(first);
  await completed(first);
  await marked(first);
  const second = await planned({
    "a.py": files["a.py"],
    "b.py": "y = 2\n\n",
    "__proto__.py": "x = 1\n",
    "c.py": files["a.py"],
  });
  const lines = linesOf(await analysed(second));
  // A file that is changed, new, or has moved is looked at.
  expect(lines).toEqual({ "a.py": 7_777, "b.py": 2, "c.py": 1, "__proto__.py": 1 });
});

it("is found in the chunk where the file was, however the chunks lie now", async () => {
  const big = Object.fromEntries(
    Array.from({ length: 120 }, (_, n) => [`${String(n).padStart(3, "0")}.py`, `x = ${n}\n`]),
  );
  const first = await planned(big);
  await analysed(first);
  await completed(first);
  await marked(first);
  const second = await planned({ "000a.py": "new = 1\n", ...big });
  expect((await chunksOf(second)).map(({ earlier }) => earlier.map(({ chunk }) => chunk))).toEqual([
    [0],
    [0, 1],
    [1, 2],
  ]);
  const lines = linesOf(await analysed(second));
  expect(Object.entries(lines).filter(([, count]) => count !== 7_777)).toEqual([["000a.py", 1]]);
});

it.each([
  [
    "comes from another engine",
    (kept: { analysis: string }) => {
      kept.analysis = `0${kept.analysis}`;
    },
  ],
  [
    "failed",
    (kept: { artefacts: FileArtefact[] }) => {
      for (const { coverage } of kept.artefacts)
        Object.assign(coverage, { status: "failed", reason: "internal_error" });
    },
  ],
  [
    "ran out of time",
    (kept: { artefacts: FileArtefact[] }) => {
      for (const { coverage } of kept.artefacts) Object.assign(coverage, { status: "partial", reason: "time_limit" });
    },
  ],
])("is not used when the analysis %s", async (_, change) => {
  const first = await planned(files);
  await analysed(first);
  await completed(first);
  await marked(first, change as never);
  expect(linesOf(await analysed(await planned(files)))).toEqual({ "a.py": 1, "b.py": 1, "constructor.js": 1 });
});

it("is not used of a scan that did not end, and never of another project", async () => {
  const first = await planned(files);
  await analysed(first);
  await marked(first);
  expect(linesOf(await analysed(await planned(files)))["a.py"]).toBe(1);
  await completed(first);
  expect(linesOf(await analysed(await planned(files, await storedProject())))["a.py"]).toBe(1);
});

it("is done without when it is gone", async () => {
  const first = await planned(files);
  await completed(first);
  const second = await planned(files);
  expect((await chunksOf(second))[0]?.earlier).toEqual([{ task_id: first.id, attempt: 1, chunk: 0 }]);
  expect(linesOf(await analysed(second))["a.py"]).toBe(1);
});
