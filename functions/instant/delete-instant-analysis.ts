import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import * as analyses from "./instant-analysis-store.ts";

export const deleteInstantAnalysis = operation(
  {
    method: "DELETE",
    path: "/scan/instant/history/{id}",
    summary: "Delete one of one's own instant analyses",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["instant_analysis_not_found"],
    grants: { reads: ["instantAnalysis"], writes: ["instantAnalysis"] },
  },
  async ({ params, caller, language }) => {
    await analyses.deleteInstantAnalysis(caller.id, params.id);
    return { message: language === "zh" ? "分析记录已删除" : "The analysis is deleted" };
  },
);
