import * as z from "zod";
import { announceHead } from "../../functions/runs/head-watch.ts";
import type { Run } from "../../functions/runs/run.ts";
import { RunError } from "../../functions/runs/run-error.ts";
import { RunName, runIdOf } from "../../functions/runs/run-name.ts";
import { closeRun, findRun } from "../../functions/runs/run-store.ts";
import { runsPage } from "../../functions/runs/runs-page.ts";
import { extensionMethod } from "./extension.ts";
import { unaryReply } from "./handlers.ts";
import type { AdmittedCall } from "./open-call.ts";
import { inStatuses } from "./run-statuses.ts";
import type { ServedService } from "./server.ts";

const pageToken = z
  .string()
  .max(200)
  .transform((token) => (token === "" ? null : Buffer.from(token, "base64url").toString("utf8")));
const Named = z.object({ name: RunName });

const methods = {
  ListRuns: extensionMethod(
    "RunService",
    "ListRuns",
    z.object({ page_size: z.int().max(1000), page_token: pageToken }),
  ),
  GetRun: extensionMethod("RunService", "GetRun", Named),
  CloseRun: extensionMethod("RunService", "CloseRun", Named),
} as const;

export const runAccess = {
  [methods.ListRuns.path]: "reader",
  [methods.GetRun.path]: "reader",
  [methods.CloseRun.path]: "learner",
} as const;

/** The runs of the caller: which there are, and their end. What REST offers for people, without its detour. */
export function runService(): ServedService {
  return {
    name: "hil_serl_ext.v1.RunService",
    methods: [
      unaryReply(methods.ListRuns.path, async ({ caller }, request) => {
        const { page_size: limit, page_token: after } = methods.ListRuns.decode(request);
        const { runs, next } = await inStatuses(() => runsPage(caller.tenant, after, limit || 100));
        const next_page_token = next === null ? "" : Buffer.from(next).toString("base64url");
        return { message: methods.ListRuns.encode({ runs: runs.map(runMessage), next_page_token }) };
      }),
      unaryReply(methods.GetRun.path, async (call, request) => {
        const run = await inStatuses(() => ownRun(call, methods.GetRun.decode(request).name));
        return { message: methods.GetRun.encode(runMessage(run)) };
      }),
      unaryReply(methods.CloseRun.path, async (call, request) => {
        const { name } = methods.CloseRun.decode(request);
        const closed = await inStatuses(async () => closeRun((await ownRun(call, name)).id, new Date()));
        announceHead(closed.id);
        return { message: methods.CloseRun.encode(runMessage(closed)) };
      }),
    ],
  };
}

async function ownRun({ caller }: AdmittedCall, name: string): Promise<Run> {
  const run = await findRun(runIdOf(caller.tenant, name));
  if (!run) throw new RunError("run_not_found", `There is no run ${name}.`);
  return run;
}

const runMessage = (run: Run) => ({
  id: run.id,
  name: run.name,
  status: run.status === "open" ? "RUN_STATUS_OPEN" : "RUN_STATUS_CLOSED",
  first_offset: run.first,
  next_offset: run.head,
  transitions: run.transitions,
  interactions: run.interactions,
  stored_bytes: run.storedBytes,
  parameter_version: run.parameterVersion,
  created_ms: Date.parse(run.createdAt),
  closed_ms: run.closedAt === null ? 0 : Date.parse(run.closedAt),
});
