import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { startLocalService } from "../../bin/local/service.ts";
import { Api, zipOf } from "../support/api.ts";

const latencyMs = 800;
const concurrency = 50;

/**
 * `npm run bench -- review [files]...`: scans with a scripted model that takes 800 ms a call, 50 at a time, in a service that does
 * everything else on this machine too. The ideal is that of the calls alone: calls x 0.8 s / 50.
 * @param given numbers of files, one scan each. @default 1000
 */
export default async function review(given: string[]): Promise<void> {
  const rows: object[] = [];
  for (const files of given.length > 0 ? given.map(Number) : [1000]) rows.push(...(await measure(files)));
  console.table(rows);
}

async function measure(files: number): Promise<object[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const llm = await startFakeLlm({ latencyMs });
  const service = await startLocalService({ dataFolder: folder, outboundAllowedHosts: new URL(llm.url).host });
  try {
    const api = new Api(service.url, await service.token());
    const llmConfig = {
      llmProvider: "openai_compatible",
      llmBaseUrl: `${llm.url}/v1`,
      llmApiKey: "k",
      llmModel: "scripted",
    };
    const otherConfig = { llmConcurrency: concurrency, llmGapMs: 0, scanTokenCap: 0 };
    await api.call("PUT", "/api/v1/config/me", { json: { llmConfig, otherConfig } });
    const project = (await api.call("POST", "/api/v1/projects", { json: { name: "bench", source_type: "zip" } })).body;
    await api.uploadDirectly(project.id, await zipOf(sources(files)));
    const rows: object[] = [];
    for (const scan of ["first", "again"]) {
      llm.reset();
      const watch = new MemoryWatch();
      const task = await scanned(api, project.id);
      const review = reviewSeconds(llm.calls);
      const ideal = (llm.counts.count * latencyMs) / 1000 / concurrency;
      rows.push({
        files,
        scan,
        status: task.status,
        calls: llm.counts.count,
        "most at once": llm.counts.max_in_flight,
        "review s": round(review),
        "ideal s": round(ideal),
        "times ideal": ideal === 0 ? null : Math.round((review / ideal) * 100) / 100,
        "scan s": round((Date.parse(task.completed_at) - Date.parse(task.started_at)) / 1000),
        "largest function MiB": watch.stop(),
        issues: task.issues_count,
      });
    }
    return rows;
  } finally {
    await service.stop();
    await llm.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the first call to the end of the last. */
function reviewSeconds(calls: readonly { startedAt: number; endedAt: number | null }[]): number {
  if (calls.length === 0) return 0;
  const ends = calls.map((call) => call.endedAt ?? call.startedAt);
  return (ends.reduce((a, b) => Math.max(a, b)) - (calls[0]?.startedAt as number)) / 1000;
}

async function scanned(api: Api, projectId: string) {
  const { body } = await api.call("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: projectId } });
  for (;;) {
    const { body: task } = await api.call("GET", `/api/v1/tasks/${body.task_id}`);
    if (task.completed_at) return task;
    await sleep(500);
  }
}

/** The most memory that a process of a function took, in MiB. Functions are children of this process. */
class MemoryWatch {
  #most = 0;
  readonly #timer = setInterval(() => this.#look(), 250);

  #look(): void {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
    for (const pid of children.filter(Boolean)) {
      try {
        const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        this.#most = Math.max(this.#most, Number(kilobytes ?? 0) / 1024);
      } catch {
        // It ended between the two looks.
      }
    }
  }

  stop(): number {
    clearInterval(this.#timer);
    return Math.round(this.#most);
  }
}

/** Files of ordinary size, each with other content. */
const sources = (files: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: files }, (_, n) => [
      `part${n % 50}/module_${n}.py`,
      Array.from(
        { length: 12 },
        (_, i) =>
          `def function_${n}_${i}(a, b):\n    total = 0\n    for item in a:\n        if item > b:\n            total += item * ${i}\n    return total\n`,
      ).join("\n"),
    ]),
  );

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
