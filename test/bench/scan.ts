import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const runs = 3;

interface Report {
  readonly task: {
    total_files: number;
    total_lines: number;
    issues_count: number;
    started_at: string;
    completed_at: string;
  };
}

/** `npm run bench -- scan <folder>`: the whole command as a user runs it, from start to findings, and the scan within it. */
export default async function scan([folder]: string[]): Promise<void> {
  if (!folder) throw new Error("Which folder? npm run bench -- scan <folder with source code>");
  const work = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const out = join(work, "report.json");
  const command = [resolve(import.meta.dirname, "../../bin/scan.ts"), folder, "--format", "json", "--out", out];
  const rows = Array.from({ length: runs }, () => {
    const begun = performance.now();
    execFileSync(process.execPath, command, { stdio: ["ignore", "ignore", "inherit"] });
    const { task } = JSON.parse(readFileSync(out, "utf8")) as Report;
    return {
      files: task.total_files,
      lines: task.total_lines,
      issues: task.issues_count,
      "command s": round((performance.now() - begun) / 1000),
      "scan s": round((Date.parse(task.completed_at) - Date.parse(task.started_at)) / 1000),
    };
  });
  rmSync(work, { recursive: true, force: true });
  console.table(rows);
}

const round = (value: number): number => Math.round(value * 10) / 10;
