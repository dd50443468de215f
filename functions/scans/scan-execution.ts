import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type ExecutionStatus,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { environment } from "../platform/environment.ts";
import type { Task } from "./task.ts";

const states = new SFNClient({});

/** The name of a task's execution: starting the same attempt twice is one execution. */
const executionName = (task: Pick<Task, "id" | "attempt">): string => `${task.id}-${task.attempt}`;

const executionArn = (task: Task): string =>
  `${environment().SCAN_MACHINE_ARN.replace(":stateMachine:", ":execution:")}:${executionName(task)}`;

/** Starts the execution of a task's current attempt. Safe to repeat. */
export async function startExecution(task: Task): Promise<void> {
  const start = new StartExecutionCommand({
    stateMachineArn: environment().SCAN_MACHINE_ARN,
    name: executionName(task),
    input: JSON.stringify({ task_id: task.id, attempt: task.attempt }),
  });
  await states.send(start).catch((error) => {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  });
}

/** Stops the execution of a task, running functions aside: their late writes are fenced by the task's state. */
export async function stopExecution(task: Task): Promise<void> {
  const stop = new StopExecutionCommand({ executionArn: executionArn(task), cause: "cancelled by its user" });
  await states.send(stop).catch((error) => {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  });
}

/** @returns null when the task's execution was never started */
export async function executionStatus(task: Task): Promise<ExecutionStatus | null> {
  try {
    const { status } = await states.send(new DescribeExecutionCommand({ executionArn: executionArn(task) }));
    return status ?? null;
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return null;
    throw error;
  }
}
