import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LocalProcess } from "../support/local-process.ts";

const root = resolve(import.meta.dirname, "../..");
const runs = 5;

/** Time from `npm start` to its ready line, with and without synthesis, and the memory of the idle service. */
export default async function startup(): Promise<void> {
  const rows: Record<
    string,
    { "first start s": number; "next starts s, median": number; "idle MB": number; "idle after 90 s MB": number }
  > = {};
  for (const [name, prepare] of [
    ["synthesis needed", () => rmSync(join(root, ".build"), { recursive: true, force: true })],
    ["nothing changed", () => {}],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), "sluice-startup-"));
    const seconds: number[] = [];
    let idle = 0;
    let later = 0;
    for (let run = 0; run < runs; run++) {
      prepare();
      const begun = performance.now();
      const service = await LocalProcess.start({ SLUICE_DATA_DIR: folder });
      seconds.push((performance.now() - begun) / 1000);
      idle = residentMegabytes(service.pid);
      if (run === runs - 1) {
        await setTimeout(90_000);
        later = residentMegabytes(service.pid);
      }
      await service.stop();
    }
    rmSync(folder, { recursive: true, force: true });
    const [first = 0, ...next] = seconds;
    rows[name] = {
      "first start s": round(first),
      "next starts s, median": round(median(next)),
      "idle MB": idle,
      "idle after 90 s MB": later,
    };
  }
  console.log(`${execFileSync("nproc").toString().trim()} cores, Node ${process.version}`);
  console.table(rows);
}

/** Memory of a process and all its children, shared pages counted once (PSS): functions run as processes of their own. */
function residentMegabytes(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
  return Math.round(children.reduce((sum, child) => sum + residentMegabytes(child), own));
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const round = (value: number): number => Math.round(value * 100) / 100;
