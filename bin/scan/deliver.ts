import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { CannotScan, reasonOf } from "./cannot-scan.ts";
import { jsonOf } from "./json.ts";
import { markdownOf } from "./markdown.ts";
import type { ScanOptions } from "./options.ts";
import type { Output } from "./progress.ts";
import type { ScanResult, Summary } from "./result.ts";
import { sarifOf } from "./sarif.ts";
import { plainTarget, summaryLines, tableOf, terminalTarget } from "./table.ts";
import type { Say } from "./texts.ts";

/**
 * Writes the result where the user wants it. Standard output carries nothing else; where the result is not for reading on a terminal, its
 * summary goes to standard error.
 * @throws CannotScan out_unwritable
 */
export async function deliver(
  result: ScanResult,
  summary: Summary,
  { format, out }: ScanOptions,
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
  say: Say,
): Promise<void> {
  const render = {
    table: () => tableOf(result, summary, say, out === null ? terminalTarget(stdout) : plainTarget),
    json: () => jsonOf(result, summary, say),
    sarif: () => sarifOf(result, summary, say, manifest.version),
    markdown: () => markdownOf(result, summary, say),
  }[format];
  if (out === null) await write(stdout, render());
  else await writeFile(out, render()).catch(unwritable(out));
  if (out === null && format === "table") return;
  const lines = summaryLines(result, summary, say, terminalTarget(stderr));
  if (out !== null) lines.push(say("written", { path: out }));
  await write(stderr, `${lines.join("\n")}\n`);
}

/** To be asked before the scan: after it, the news would come late. @throws CannotScan out_unwritable */
export async function requireWritable(out: string): Promise<void> {
  const existing = await stat(out).catch(() => null);
  if (existing?.isDirectory()) unwritable(out)({ code: "EISDIR" });
  if (existing) return access(out, constants.W_OK).catch(unwritable(out));
  const folder = await stat(dirname(out)).catch(unwritable(out));
  if (!folder.isDirectory()) unwritable(out)({ code: "ENOTDIR" });
  await access(dirname(out), constants.W_OK).catch(unwritable(out));
}

const unwritable =
  (path: string) =>
  (error: unknown): never => {
    throw new CannotScan("out_unwritable", { path, reason: reasonOf(error) }, error);
  };

/** Waits until the text is out: the process may end right after. A reader that has gone away is nobody's fault. */
export const write = (stream: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) =>
    stream.write(text, (error) =>
      error && (error as NodeJS.ErrnoException).code !== "EPIPE" ? reject(error) : resolve(),
    ),
  );
