import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { environment } from "../platform/environment.ts";

const states = new SFNClient({});

const hourMs = 3_600_000;

/**
 * Starts the permanent deletion of a project that was buried at `erasingAt`. Safe to repeat: within an hour it is one execution. An
 * hour later, when something is left because that execution failed, it is a new one; two at a time do each other no harm.
 */
export async function startErasure(projectId: string, erasingAt: Date, now: Date): Promise<void> {
  const hours = Math.floor((now.getTime() - erasingAt.getTime()) / hourMs);
  const start = new StartExecutionCommand({
    stateMachineArn: environment().ERASURE_MACHINE_ARN,
    name: `${projectId}-${hours}`,
    input: JSON.stringify({ project_id: projectId }),
  });
  await states.send(start).catch((error) => {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  });
}
