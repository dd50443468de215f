import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { readProjects } from "../projects/project-store.ts";
import { TaskView, taskView } from "./task.ts";
import * as tasks from "./task-store.ts";

export const readTask = operation(
  {
    method: "GET",
    path: "/tasks/{id}",
    summary: "Show an audit task and how far it is",
    auth: "user",
    params: z.object({ id: Id }),
    success: TaskView,
    failures: ["task_not_found"],
    grants: { reads: ["project", "task"] },
  },
  async ({ params, caller }) => {
    const task = await tasks.readTask(caller.id, params.id);
    const projects = await readProjects([task.projectId]);
    return taskView(task, projects.get(task.projectId) ?? null);
  },
);
