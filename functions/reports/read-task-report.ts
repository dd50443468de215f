import * as z from "zod";
import { issueIdentities, readIssues } from "../issues/issue-store.ts";
import { contentDisposition } from "../platform/content-disposition.ts";
import { Id } from "../platform/contract.ts";
import { operation, Reply } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { renderReport } from "./render-report.ts";
import { reportFonts } from "./report-fonts.ts";
import { listedIssues, taskReport, taskReportName } from "./task-report.ts";

export const readTaskReport = operation(
  {
    method: "GET",
    path: "/tasks/{id}/report/pdf",
    summary: "Download the report of an audit task as a PDF",
    auth: "user",
    params: z.object({ id: Id }),
    success: { contentType: "application/pdf" },
    failures: ["task_not_found"],
    grants: { reads: ["project", "member", "task", "issue"] },
    // A whole processor, as setting pages is nothing but computing. Five hundred issues take three seconds and 400 MB.
    memoryMiB: 1769,
  },
  async ({ params, caller, language, now }) => {
    const { task, project } = await authoriseTask(caller, "read", params.id);
    const at = now();
    const found = await issueIdentities(task.id);
    const listed = await readIssues(listedIssues(found));
    const report = taskReport({ task, project, found, listed, language, at });
    return new Reply(await renderReport(report, await reportFonts()), {
      "Content-Disposition": contentDisposition(taskReportName(task.id, at), "audit-report.pdf"),
    });
  },
);
