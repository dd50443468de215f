import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { forgetInstantAnalyses } from "./instant-analysis-store.ts";

export const clearInstantAnalyses = operation(
  {
    method: "DELETE",
    path: "/scan/instant/history",
    summary: "Delete all of one's own instant analyses",
    auth: "user",
    success: z.object({ message: z.string() }),
    failures: [],
    grants: { reads: ["instantAnalysis"], writes: ["instantAnalysis"] },
  },
  async ({ caller, language }) => {
    await forgetInstantAnalyses(caller.id);
    return { message: language === "zh" ? "所有分析记录已删除" : "All analyses are deleted" };
  },
);
