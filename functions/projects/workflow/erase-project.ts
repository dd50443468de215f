import * as z from "zod";
import { workflowTask } from "../../platform/workflow-task.ts";
import { erase } from "../erasure.ts";

/** A run stops here and another goes on: well before Lambda would stop it, as one task's issues may take minutes. */
const runSeconds = 600;

export const eraseProject = workflowTask(
  {
    summary: "Deletes what is left of a project that was deleted for good",
    input: z.object({ project_id: z.uuid(), last: z.boolean() }),
    grants: {
      reads: ["project", "task", "spending"],
      writes: ["project", "member", "task", "issue", "statistics", "spending"],
      indexes: ["gsi1"],
      sources: { lists: ["zips/*", "quarantine/*"], deletes: ["zips/*", "quarantine/*"] },
      results: { lists: ["scans/*"], deletes: ["scans/*"] },
      scanMachine: ["stop"],
    },
    timeoutSeconds: 900,
  },
  async ({ project_id, last }, now) => {
    const until = new Date(now().getTime() + runSeconds * 1000);
    return { done: await erase(project_id, last, now, until) };
  },
);
