import * as z from "zod";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { tenantsOf } from "./authorise-run.ts";
import { listRunsOf } from "./run-store.ts";
import { RunView, runView } from "./run-view.ts";

export const listRuns = operation(
  {
    method: "GET",
    path: "/runs",
    summary: "List the caller's runs, newest first; administrators also see those of callers without a token",
    auth: "user",
    scope: "reader",
    query: page(),
    success: z.array(RunView),
    failures: [],
    grants: { indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const { items, total } = await listRunsOf(tenantsOf(caller), query);
    return listReply(items.map(runView), total);
  },
);
