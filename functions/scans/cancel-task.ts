import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { cancelScan } from "./scan-cancellation.ts";
import { findTask } from "./task-store.ts";

export const cancelTask = operation(
  {
    method: "POST",
    path: "/tasks/{id}/cancel",
    summary: "Stop an audit task",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string(), task_id: z.string() }),
    failures: ["task_not_found", "permission_denied", "task_already_ended"],
    grants: { reads: ["project", "member", "task"], writes: ["task", "statistics"], scanMachine: ["stop"] },
  },
  async ({ params, caller, language, now }) => {
    const { task } = await authoriseTask(caller, "triage", params.id);
    await cancelScan(task, now()).catch(async (error) => {
      if (!isSluiceError(error, "task_superseded")) throw error;
      const status = (await findTask(task.id))?.status;
      throw status ? new SluiceError("task_already_ended", { status }) : new SluiceError("task_not_found");
    });
    return { message: language === "zh" ? "任务已取消" : "The task is cancelled", task_id: task.id };
  },
);
