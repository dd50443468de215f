import fc from "fast-check";
import { v7 as uuid, validate, version } from "uuid";
import { describe, expect, it } from "vitest";
import { DatabaseFile } from "../../functions/database/database-file.ts";
import { issueRow, projectRow, taskRow } from "../../functions/database/export-rows.ts";
import { importedId, importedIssue, importedProject, importedTask } from "../../functions/database/imported-records.ts";
import { Issue, newIssue } from "../../functions/issues/issue.ts";
import { Project } from "../../functions/projects/project.ts";
import { Task } from "../../functions/scans/task.ts";
import { aFinding } from "../support/finding.ts";

const [ownerId, place] = [uuid(), uuid()];
const created_at = "2026-11-21T12:00:00.000Z";

describe("ids that an import gives", () => {
  it("are ids of ours in the order of time, the same at each try, and others in another place or for another row", () => {
    const time = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true });
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), time, time, (one, other, early, late) => {
        fc.pre(one !== other && early < late);
        const at = (date: Date, id = one) => importedId(place, { id, created_at: date.toISOString() });
        const id = at(early);
        expect([validate(id), version(id), at(early)]).toEqual([true, 7, id]);
        expect(id < at(late)).toBe(true);
        const elsewhere = importedId(ownerId, { id: one, created_at: early.toISOString() });
        expect(new Set([id, at(early, other), elsewhere, one]).size).toBe(4);
      }),
    );
  });
});

describe("records that an import makes", () => {
  const project = importedProject(
    { ...base(), name: "p", programming_languages: ["python"], is_active: true },
    place,
    ownerId,
  );

  it("are what is read of them again, so going on does not write anew what is there", () => {
    const finding = { ...aFinding("a"), trace: [step], explanation: { what: "a", why: "b", how: "c" } };
    const issue = {
      ...newIssue(finding, uuid(), ownerId, created_at),
      status: "resolved" as const,
      resolvedBy: ownerId,
    };
    const file = { data: { user: { id: ownerId }, projects: [], tasks: [], issues: [issueRow(issue, ownerId)] } };
    const [row] = DatabaseFile.shape.data.shape.issues.parse(file.data.issues);
    const ids = { task: () => undefined, issue: () => undefined };
    const made = importedIssue(row as never, place, ownerId, ids);
    expect(Issue.parse(structuredClone(made))).toStrictEqual(made);
    expect({ ...made, id: issue.id, taskId: issue.taskId, resolvedAt: null }).toEqual(issue);
    expect(Project.parse(structuredClone(project))).toStrictEqual(project);
  });

  it("of tasks name no record outside, and nothing to scan", () => {
    const [row] = DatabaseFile.shape.data.shape.tasks.parse([
      { ...base(), project_id: place, task_type: "repository", status: "failed", scan_config: { rule_set_id: uuid() } },
    ]);
    const task = importedTask(row as never, uuid(), project);
    expect(Task.parse(structuredClone(task))).toStrictEqual(task);
    expect(task).toMatchObject({ status: "running", projectId: place, ownerId, createdBy: ownerId, repository: null });
    expect(task.config).toMatchObject({ ruleSetId: null, promptTemplateId: null });
    expect(task.source?.key).toContain(place);
    expect(taskRow(task)).not.toHaveProperty("scan_config.rule_set_id");
    expect(projectRow(project)).not.toHaveProperty("owner_id");
  });
});

function base() {
  return { id: uuid(), created_at };
}

const step = {
  ...{ path: "a.py", startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 },
  ...{ code: "a", role: "source" as const },
};
