import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseRun } from "./authorise-run.ts";
import { requireRun, setRetention } from "./run-store.ts";
import { RunView, runView } from "./run-view.ts";

export const updateRun = operation(
  {
    method: "PATCH",
    path: "/runs/{id}",
    summary: "Say how long or how much of a run is kept; what need not be kept goes in the following night, for ever",
    auth: "user",
    scope: "learner",
    params: z.object({ id: Id }),
    body: z.strictObject({
      /** Items older than an age go, and the oldest beyond a size; null is no limit. */
      retention: z.strictObject({
        age_seconds: z.number().int().min(60).nullable(),
        bytes: z.number().int().min(1).nullable(),
      }),
    }),
    success: RunView,
    failures: ["run_not_found"],
    grants: { reads: ["run"], writes: ["run"] },
  },
  async ({ params, body, caller }) => {
    const { id } = await authoriseRun(caller, params.id);
    await setRetention(id, { ageSeconds: body.retention.age_seconds, bytes: body.retention.bytes });
    return runView(await requireRun(id));
  },
);
