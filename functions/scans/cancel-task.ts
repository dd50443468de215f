import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { stopExecution } from "./scan-execution.ts";
import * as tasks from "./task-store.ts";

export const cancelTask = operation(
  {
    method: "POST",
    path: "/tasks/{id}/cancel",
    summary: "Stop an audit task",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string(), task_id: z.string() }),
    failures: ["task_not_found", "task_already_ended"],
    grants: { reads: ["task"], writes: ["task"], scanMachine: ["stop"] },
  },
  async ({ params, caller, language, now }) => {
    const task = await tasks.readTask(caller.id, params.id);
    const at = now().toISOString();
    // The state changes first: from here on no late write of the running functions counts, whether or not the stop gets through.
    const change = {
      from: ["pending", "running"],
      attempt: task.attempt,
      set: { status: "cancelled", completedAt: at },
    } as const;
    await tasks.changeTask(task.id, change).catch(async (error) => {
      if (!isSluiceError(error, "task_superseded")) throw error;
      throw new SluiceError("task_already_ended", { status: (await tasks.readTask(caller.id, task.id)).status });
    });
    await stopExecution(task);
    return { message: language === "zh" ? "任务已取消" : "The task is cancelled", task_id: task.id };
  },
);
