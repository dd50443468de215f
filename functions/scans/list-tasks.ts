import * as z from "zod";
import { Id, page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { readProject, readProjects } from "../projects/project-store.ts";
import { TaskView, taskView } from "./task.ts";
import { listTasksOf, listTasksOfProject } from "./task-store.ts";

export const listTasks = operation(
  {
    method: "GET",
    path: "/tasks",
    summary: "List the caller's audit tasks, newest first",
    auth: "user",
    query: page().extend({ project_id: Id.optional() }),
    success: z.array(TaskView),
    failures: ["project_not_found"],
    grants: { reads: ["project", "task"], indexes: ["gsi1", "gsi2"] },
  },
  async ({ query, caller }) => {
    const project = query.project_id ? await readProject(caller.id, query.project_id) : null;
    const { items, total } = project
      ? await listTasksOfProject(project.id, query)
      : await listTasksOf(caller.id, query);
    const projects = project
      ? new Map([[project.id, project]])
      : await readProjects(items.map((task) => task.projectId));
    return listReply(
      items.map((task) => taskView(task, projects.get(task.projectId) ?? null)),
      total,
    );
  },
);
