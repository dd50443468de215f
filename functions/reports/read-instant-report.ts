import * as z from "zod";
import { readInstantAnalysis } from "../instant/instant-analysis-store.ts";
import { contentDisposition } from "../platform/content-disposition.ts";
import { Id } from "../platform/contract.ts";
import { operation, Reply } from "../platform/operation.ts";
import { instantReport, instantReportName } from "./instant-report.ts";
import { renderReport } from "./render-report.ts";
import { reportFonts } from "./report-fonts.ts";

export const readInstantReport = operation(
  {
    method: "GET",
    path: "/scan/instant/history/{id}/report/pdf",
    summary: "Download the report of one of one's own instant analyses as a PDF",
    auth: "user",
    params: z.object({ id: Id }),
    success: { contentType: "application/pdf" },
    failures: ["instant_analysis_not_found"],
    grants: { reads: ["instantAnalysis"] },
    // A whole processor, as setting pages is nothing but computing.
    memoryMiB: 1769,
  },
  async ({ params, caller, language, now }) => {
    const analysis = await readInstantAnalysis(caller.id, params.id);
    const report = instantReport(analysis, language, now());
    return new Reply(await renderReport(report, await reportFonts()), {
      "Content-Disposition": contentDisposition(instantReportName(analysis), "instant-analysis.pdf"),
    });
  },
);
