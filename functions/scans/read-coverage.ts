import * as z from "zod";
import { Id, page } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { CoverageRow, summaryOf } from "./coverage.ts";
import { findCoverage } from "./look-store.ts";
import { ended } from "./task.ts";

/** A thousand rows with the longest paths that an archive may have stay far below a function's 6 MB answer. */
const rowsMax = 1000;

export const readCoverage = operation(
  {
    method: "GET",
    path: "/tasks/{id}/coverage",
    summary: "List what a scan did with every file of the project: analysed or reviewed by the model, and if not, why",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(rowsMax, 100).extend({
      status: CoverageRow.shape.status.optional(),
      review: CoverageRow.shape.review.optional(),
    }),
    success: z.object({
      items: z.array(CoverageRow),
      /** Rows that the filters let through. */
      total: z.number(),
      /** Of all files, whatever the filters. */
      summary: z.object({
        files: z.number(),
        lines: z.number(),
        status: z.record(CoverageRow.shape.status, z.number()),
        reasons: z.record(z.string(), z.number()),
        review: z.record(CoverageRow.shape.review, z.number()),
        review_reasons: z.record(z.string(), z.number()),
      }),
    }),
    failures: ["task_not_found", "coverage_not_ready", "coverage_not_kept"],
    grants: { reads: ["project", "member", "task"], results: { reads: ["scans/*"] } },
    // The rows of 100,000 files are read at once.
    memoryMiB: 1024,
  },
  async ({ params, query, caller }) => {
    const { task } = await authoriseTask(caller, "read", params.id);
    if (!ended(task.status)) throw new SluiceError("coverage_not_ready", { status: task.status });
    const rows = await findCoverage(task.id, task.attempt);
    if (!rows) throw new SluiceError("coverage_not_kept", { status: task.status });
    const { skip, limit, status, review } = query;
    const asked = rows.filter((row) => (!status || row.status === status) && (!review || row.review === review));
    return { items: asked.slice(skip, skip + limit), total: asked.length, summary: summaryOf(rows) };
  },
);
