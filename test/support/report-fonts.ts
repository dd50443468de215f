import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReportFonts, reportFonts } from "../../functions/reports/report-fonts.ts";
import { writeReportFonts } from "../../lib/bundle/report-fonts.ts";

/** The fonts of reports as a function finds them beside its code. */
export async function bundledFonts(): Promise<ReportFonts> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-fonts-"));
  try {
    await writeReportFonts(join(folder, "fonts"));
    process.env.LAMBDA_TASK_ROOT = folder;
    return await reportFonts();
  } finally {
    await rm(folder, { recursive: true });
  }
}
