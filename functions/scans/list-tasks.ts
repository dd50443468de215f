import * as z from "zod";
import { projectIdsOf } from "../members/member-store.ts";
import { fitting } from "../platform/answer-size.ts";
import { Id, page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { readProjects } from "../projects/project-store.ts";
import { TaskView, taskView } from "./task.ts";
import { listTasksOf, listTasksOfProject } from "./task-store.ts";

export const listTasks = operation(
  {
    method: "GET",
    path: "/tasks",
    summary: "List the audit tasks of the caller's projects, newest first",
    auth: "user",
    query: page().extend({ project_id: Id.optional() }),
    success: z.array(TaskView),
    failures: ["project_not_found"],
    grants: { reads: ["project", "member", "task"], indexes: ["gsi1", "gsi2"] },
  },
  async ({ query, caller, language }) => {
    const project = query.project_id ? await authorise(caller, "read", query.project_id) : null;
    const { items, total } = project
      ? await listTasksOfProject(project.id, query)
      : await listTasksOf(caller.id, await visibleProjectsOf(caller.id), query);
    const projects = project
      ? new Map([[project.id, project]])
      : await readProjects(items.map((task) => task.projectId));
    // Tasks of a project that is being deleted for good are gone for everybody, a moment before they are gone.
    const rows = items.flatMap((task) => {
      const of = projects.get(task.projectId);
      return of ? [taskView(task, of, language)] : [];
    });
    return listReply(fitting(rows), total - (items.length - rows.length));
  },
);

const visibleProjectsOf = async (userId: string) => [...(await readProjects(await projectIdsOf(userId))).keys()];
