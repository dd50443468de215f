import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { newIssue } from "../../functions/issues/issue.ts";
import { writeIssues } from "../../functions/issues/issue-store.ts";
import { addMember } from "../../functions/members/member-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { putJson, s3 } from "../../functions/platform/object-store.ts";
import { table } from "../../functions/platform/table.ts";
import { newProject, type Project } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { newTask, scanKeys, type Task } from "../../functions/scans/task.ts";
import { recordChunk } from "../../functions/scans/task-progress-store.ts";
import { changeTask, createTask } from "../../functions/scans/task-store.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { reserve, settle } from "../../functions/spending/spending-store.ts";
import { aCall } from "../spending/running-scan.ts";
import { zipOf } from "./api.ts";
import { aFinding } from "./finding.ts";
import { wholeZip } from "./scanned.ts";
import { storedUser } from "./stored-user.ts";

/** Everything that still names one of these ids, anywhere. */
export async function whatIsLeft(...ids: string[]): Promise<string[]> {
  const left: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: environment().TABLE_NAME }))
    for (const item of Items) {
      const transient = /^(IDEM|AUDIT|UP)#/.test(item.pk as string);
      if (transient) continue;
      const text = JSON.stringify(item);
      if (ids.some((id) => text.includes(id))) left.push(`${item.pk} ${item.sk}`);
    }
  for (const Bucket of [environment().SOURCES_BUCKET, environment().RESULTS_BUCKET]) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    for (const { Key = "" } of [...Versions, ...DeleteMarkers]) if (ids.some((id) => Key.includes(id))) left.push(Key);
  }
  return left;
}

/** A project with one of everything: a ZIP that replaced another, a member, a scan that has ended and one that runs, both with a model. */
export async function furnishedProject(): Promise<{ project: Project; tasks: Task[] }> {
  const { id: ownerId } = await storedUser();
  const draft = { name: "doomed", source_type: "zip", default_branch: "main" } as const;
  const project = newProject({ ...draft, programming_languages: [] }, uuid(), ownerId, new Date());
  await createProject(project);
  for (const text of ["print(1)", "print(2)"]) {
    const bytes = Buffer.from(await (await zipOf({ "a.py": text })).arrayBuffer());
    await storeArchive({ projectId: project.id, ownerId, filename: "a.zip" }, bytes, new Date());
  }
  const joined = { role: "viewer", permissions: "{}", joinedAt: new Date().toISOString(), version: 1 } as const;
  await addMember({ projectId: project.id, userId: (await storedUser()).id, ownerId, ...joined });
  return { project, tasks: [await scannedTask(project, "completed"), await scannedTask(project, "running")] };
}

export async function scannedTask(project: Project, status: "pending" | "running" | "completed"): Promise<Task> {
  const task = newTask({ id: uuid(), projectId: project.id, ownerId: project.ownerId, ...wholeZip }, new Date());
  await createTask(task);
  if (status === "pending") return task;
  await changeTask(task.id, { from: ["pending"], attempt: 1, set: { status: "running" } });
  await recordChunk(task.id, 1, { chunk: 0, files: 1, lines: 1, findings: 2 }, 1, new Date());
  const call = aCall({ userId: uuid(), scan: { taskId: task.id, attempt: 1, projectId: project.id } });
  await settle(await reserve(call, new Date()), null);
  await reserve(call, new Date());
  await putJson(environment().RESULTS_BUCKET, scanKeys(task.id, 1).plan, {});
  const issues = ["one", "two"].map((name) =>
    newIssue(aFinding(name), task.id, project.ownerId, new Date().toISOString()),
  );
  await writeIssues(task, issues, new Date());
  if (status === "running") return task;
  const set = { status: "completed", issuesCount: 2, qualityScore: 70, completedAt: new Date().toISOString() } as const;
  return changeTask(task.id, { from: ["running"], attempt: 1, set });
}
