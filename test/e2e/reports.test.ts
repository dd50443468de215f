import { describe, expect, inject, it } from "vitest";
import { Api } from "../support/api.ts";
import { readPdf, squeezed } from "../support/read-pdf.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");
const api = new Api(url, token);

async function download(path: string, language: string) {
  const headers = { Authorization: `Bearer ${api.token}`, "Accept-Language": language };
  const response = await fetch(new URL(path, url), { headers });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { name: response.headers.get("content-disposition"), ...(await readPdf(bytes)) };
}

describe("somebody who hands a result on", () => {
  it("downloads the report of a scan, in the language of who will read it", async () => {
    const project = await api.projectWith(vulnerableApp, "网上商店");
    const query = { project_id: project.id };
    const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query });
    const task = await api.task(task_id);
    const issues = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    for (const [language, heading] of [
      ["en", "Issues in detail"],
      ["zh-CN", "问题详情"],
    ] as const) {
      const report = await download(`/api/v1/tasks/${task_id}/report/pdf`, language);
      expect(report.name).toMatch(new RegExp(`filename="audit-report-${task_id.slice(0, 8)}-\\d{8}\\.pdf"`));
      for (const part of ["网上商店", heading, String(task.quality_score)])
        expect(report.text).toContain(squeezed(part));
      for (const { file_path, line_number, code_snippet } of issues) {
        expect(report.text).toContain(squeezed(`${file_path}:${line_number}`));
        expect(report.text).toContain(squeezed(code_snippet.split("\n")[0]));
      }
    }
  });

  it("downloads the report of a piece of code", async () => {
    const json = { language: "python", code: vulnerableApp["shop/app.py"], output_language: "en" };
    const { analysis_id, issues } = await api.ok("POST", "/api/v1/scan/instant", { json });
    const report = await download(`/api/v1/scan/instant/history/${analysis_id}/report/pdf`, "en");
    expect(report.name).toContain(`filename="instant-analysis-python-${analysis_id.slice(0, 8)}.pdf"`);
    expect(issues.length).toBeGreaterThan(0);
    for (const { title, description } of issues) {
      expect(report.bookmarks.some((bookmark) => bookmark.endsWith(title))).toBe(true);
      expect(report.text).toContain(squeezed(description));
    }
  });
});
