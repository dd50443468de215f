import * as z from "zod";
import { fitting } from "../platform/answer-size.ts";
import { page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { InstantAnalysisView, instantAnalysisView } from "./instant-analysis.ts";
import * as analyses from "./instant-analysis-store.ts";

export const listInstantAnalyses = operation(
  {
    method: "GET",
    path: "/scan/instant/history",
    summary: "List one's own instant analyses, newest first",
    auth: "user",
    query: page(100, 20),
    success: z.array(InstantAnalysisView),
    failures: [],
    grants: { reads: ["instantAnalysis"] },
  },
  async ({ query, caller }) => {
    const { items, total } = await analyses.listInstantAnalyses(caller.id, query);
    return listReply(fitting(items.map(instantAnalysisView)), total);
  },
);
