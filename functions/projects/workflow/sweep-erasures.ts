import * as z from "zod";
import { workflowTask } from "../../platform/workflow-task.ts";
import { startErasure } from "../erasure-execution.ts";
import { openErasures } from "../tombstone.ts";

export const sweepErasures = workflowTask(
  {
    summary: "Starts permanent deletions that were never started, and again those that failed",
    input: z.unknown(),
    grants: { indexes: ["gsi3"], erasureMachine: ["start"] },
    timeoutSeconds: 60,
  },
  async (_, now) => {
    const open = await openErasures();
    for (const { id, erasingAt } of open) await startErasure(id, new Date(erasingAt), now());
    return { open: open.length };
  },
);
