import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseRun } from "./authorise-run.ts";
import { closeRun as endRun } from "./run-store.ts";
import { RunView, runView } from "./run-view.ts";

export const closeRun = operation(
  {
    method: "POST",
    path: "/runs/{id}/close",
    summary:
      "End a run: it takes nothing more, and readers end when they have everything. Closing again changes nothing",
    auth: "user",
    scope: "learner",
    params: z.object({ id: Id }),
    success: RunView,
    failures: ["run_not_found"],
    grants: { reads: ["run"], writes: ["run"] },
    idempotent: true,
  },
  async ({ params, caller, now }) => {
    const { id } = await authoriseRun(caller, params.id);
    return runView(await endRun(id, now()));
  },
);
