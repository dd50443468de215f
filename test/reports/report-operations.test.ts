import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding } from "../../functions/engine/finding.ts";
import type { InstantAnalysis } from "../../functions/instant/instant-analysis.ts";
import { instantResult, shortened } from "../../functions/instant/instant-analysis.ts";
import { keepInstantAnalysis } from "../../functions/instant/instant-analysis-store.ts";
import type { Task } from "../../functions/scans/task.ts";
import { changeTask } from "../../functions/scans/task-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";
import { type Person, person } from "../support/person.ts";
import { readPdf, squeezed } from "../support/read-pdf.ts";
import { bundledFonts } from "../support/report-fonts.ts";
import { projectOf, scannedTask, taskOf } from "../support/scanned.ts";

let data: EmbeddedData;
let alice: Person;
const at = new Date("2026-11-21T23:59:59Z");

beforeAll(async () => {
  data = await startEmbeddedData();
  await bundledFonts();
  alice = await person();
});
afterAll(() => data.stop());

const finding = (name: string, more: Partial<Finding>): Finding => ({ ...aFinding(name), ...more });
const asked = (operation: string, id: string, by: Person, language: string) =>
  by.call(operation, { params: { id }, now: at, headers: { "Accept-Language": language } });
async function reportOf(operation: string, id: string, language = "en") {
  const { status, headers, body } = await asked(operation, id, alice, language);
  expect(status).toBe(200);
  expect(headers["Content-Type"]).toBe("application/pdf");
  return { name: String(headers["Content-Disposition"]), ...(await readPdf(body)) };
}
const taskReport = (task: Pick<Task, "id">, language?: string) => reportOf("readTaskReport", task.id, language);

describe("the report of a task", () => {
  it("lists what was found, most severe and open first, in the reader's language, under the name that is asked for", async () => {
    const text = (name: string) => ({ zh: `${name}（中文）`, en: `${name} in English` });
    const task = await scannedTask(alice, await projectOf(alice), [
      finding("low", { severity: "low", title: text("Low") }),
      finding("silenced", {
        severity: "critical",
        title: text("Silenced"),
        suppressed: { reason: "仅供测试" } as never,
      }),
      finding("critical", { severity: "critical", title: text("Critical"), cwe: [89, 564], owasp2021: "A03" }),
      finding("medium", { severity: "medium", title: text("Medium"), origins: ["model"] }),
    ]);
    const english = await taskReport(task);
    const short = task.id.slice(0, 8);
    expect(english.name).toContain(`attachment; filename="audit-report-${short}-20261121.pdf"`);
    expect(english.bookmarks.filter((title) => /^\d/.test(title))).toEqual([
      "1. Critical in English",
      "2. Silenced in English",
      "3. Medium in English",
      "4. Low in English",
    ]);
    for (const part of [
      ...[`TASK-${short}`, "2026-11-21 23:59:59 UTC", task.id, "uploaded ZIP archive", "CWE-89 / CWE-564 / OWASP A03"],
      ...["Silenced in code", "Silenced, stated reason: 仅供测试", "Language model", "Critical 1 0 1 2", "Low 1 0 0 1"],
    ])
      expect(english.text).toContain(squeezed(part));
    const chinese = await taskReport(task, "zh-CN");
    expect(chinese.bookmarks).toContain("1. Critical（中文）");
    expect(chinese.text).toContain("代码注释忽略");
  });

  it("lists five hundred of thousands and says how many it leaves out", async () => {
    const found = Array.from({ length: 1_203 }, (_, n) =>
      finding(`n${n}`, { severity: n % 3 === 0 ? "high" : "low", path: `src/${String(n).padStart(4, "0")}.py` }),
    );
    const task = await scannedTask(alice, await projectOf(alice), found);
    const { text, bookmarks } = await taskReport(task);
    expect(text).toContain(squeezed("lists the 500 most severe of 1,203 issues; 703 are left out"));
    expect(text).toContain("High40100401");
    expect(bookmarks.filter((title) => /^\d/.test(title))).toHaveLength(500);
    expect(bookmarks.indexOf("Low") - bookmarks.indexOf("High")).toBe(402);
  });

  it("does not praise what was not looked at", async () => {
    const projectId = await projectOf(alice);
    const pending = await taskReport(await taskOf(alice, projectId));
    expect(pending.text).toContain(squeezed("This audit has not ended (waiting)."));
    expect(pending.text).not.toContain("100%");
    const { id } = await taskOf(alice, projectId);
    const failure = { code: "zip_invalid", message: "not a ZIP" };
    await changeTask(id, { from: ["pending"], attempt: 1, set: { status: "failed", failure } });
    expect((await taskReport({ id })).text).toContain(squeezed("This audit failed, so it says nothing about the code"));
  });

  it("is not there for strangers, as a task that does not exist", async () => {
    const task = await scannedTask(alice, await projectOf(alice), []);
    const stranger = await person("admin");
    for (const id of [task.id, uuid()])
      expect(await refusal(stranger.call("readTaskReport", { params: { id } }))).toEqual([404, "task_not_found"]);
  });
});

describe("the report of an instant analysis", () => {
  const analysed = (findings: readonly Finding[], bytesMax = 100_000): InstantAnalysis => {
    const result = instantResult({ findings, looked: true, mode: "rules", warnings: [] }, "zh");
    return {
      ...{ id: uuid(), ownerId: alice.user.id, language: "python", mode: "rules", analysisTime: 1.234 },
      ...{ issuesCount: findings.length, qualityScore: result.quality_score, createdAt: "2026-11-20T10:00:00.000Z" },
      result: JSON.stringify(shortened(result, bytesMax, "zh")),
    };
  };

  it("has the language in its name, the time of the analysis as its number, and what was found", async () => {
    const analysis = analysed([
      finding("x", { title: { zh: "危险的 eval", en: "" }, startLine: 7, snippet: "eval(x)" }),
    ]);
    await keepInstantAnalysis(analysis);
    const report = await reportOf("readInstantReport", analysis.id, "zh");
    expect(report.name).toContain(`filename="instant-analysis-python-${analysis.id.slice(0, 8)}.pdf"`);
    for (const part of ["即时分析报告", "INST-1795168800", "1.2秒", "危险的eval", "第7行", "eval(x)"])
      expect(report.text).toContain(part);
  });

  it("counts the issues that the history has not kept", async () => {
    const many = Array.from({ length: 40 }, (_, n) => finding(`n${n}`, { snippet: "x".repeat(200) }));
    const analysis = analysed(many, 5_000);
    await keepInstantAnalysis(analysis);
    const kept = JSON.parse(analysis.result).issues.length;
    const { text } = await reportOf("readInstantReport", analysis.id);
    expect(text).toContain(squeezed(`lists the ${kept} most severe of 40 issues; ${40 - kept} are left out`));
  });

  it("is not there for anybody else", async () => {
    const analysis = analysed([]);
    await keepInstantAnalysis(analysis);
    const stranger = await person("admin");
    for (const id of [analysis.id, uuid()]) {
      const refused = await refusal(stranger.call("readInstantReport", { params: { id } }));
      expect(refused).toEqual([404, "instant_analysis_not_found"]);
    }
  });
});

const refusal = async (answer: ReturnType<Person["call"]>) => {
  const { status, body } = await answer;
  return [status, body.code];
};
