import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { Grants } from "./contract.ts";
import { errorFields, log } from "./log.ts";

/** What a Step Functions task or a scheduled function may touch and needs; the counterpart of an operation's contract. */
export interface TaskContract<I extends z.ZodType = z.ZodType> {
  readonly summary: string;
  /** The event it takes; state that the workflow passes is small and holds ids and keys, never content. */
  readonly input: I;
  readonly grants: Grants;
  readonly memoryMiB?: number;
  readonly timeoutSeconds: number;
  /** What it may write below the temporary folder. @default 512, which Lambda gives anyway */
  readonly ephemeralStorageMiB?: number;
}

export interface WorkflowTask {
  readonly contract: TaskContract;
  readonly handle: (input: never, now: () => Date) => Promise<unknown>;
}

/** The one way to make a function that no HTTP request calls. It may run twice: everything it does is conditional or idempotent. */
export const workflowTask = <I extends z.ZodType>(
  contract: TaskContract<I>,
  handle: (input: z.output<I>, now: () => Date) => Promise<unknown>,
): WorkflowTask => ({ contract, handle: handle as WorkflowTask["handle"] });

/** The Lambda handler of a workflow task. */
export const taskHandler =
  (name: string, task: WorkflowTask, now: () => Date = () => new Date()) =>
  async (event: unknown, context: Context): Promise<unknown> => {
    const requestId = context.awsRequestId;
    try {
      const result = await task.handle(task.contract.input.parse(event) as never, now);
      log("info", "task done", { operation: name, requestId });
      return result ?? {};
    } catch (error) {
      log("error", "task failed", { operation: name, requestId, ...errorFields(error) });
      throw error;
    }
  };
