import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { scanSpending } from "../spending/spent.ts";
import { TaskView, taskView } from "./task.ts";

export const readTask = operation(
  {
    method: "GET",
    path: "/tasks/{id}",
    summary: "Show an audit task, how far it is and what its model has cost",
    auth: "user",
    params: z.object({ id: Id }),
    success: TaskView,
    failures: ["task_not_found"],
    grants: { reads: ["project", "member", "task", "spending"] },
  },
  async ({ params, caller, language }) => {
    const { task, project } = await authoriseTask(caller, "read", params.id);
    return taskView(task, project, language, await scanSpending(task.id));
  },
);
