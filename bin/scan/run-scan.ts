import { severities } from "../../functions/issues/issue.ts";
import { SluiceError } from "../../functions/platform/errors.ts";
import type { Language } from "../../functions/platform/language.ts";
import { readSettings } from "../local/settings.ts";
import { audit } from "./audit.ts";
import { CannotScan } from "./cannot-scan.ts";
import { travelsInClear, withService } from "./connect.ts";
import { deliver, requireWritable, write } from "./deliver.ts";
import { help } from "./help.ts";
import { environmentLanguage, readOptions, type ScanOptions } from "./options.ts";
import { printable, printableLines } from "./printable.ts";
import { createProgress, type Output } from "./progress.ts";
import { isOpen, type ScanResult, type Summary, summarise } from "./result.ts";
import { readRules } from "./rule-files.ts";
import { sourceArchive } from "./source-archive.ts";
import { type Say, sayIn } from "./texts.ts";
import { createWorkFolder } from "./work-folder.ts";

/** What the command has of its surroundings. */
export interface ScanIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Aborted when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** `issues` is set by --fail-on: the scan went well, the code did not. */
export const exitCodes = { fine: 0, issues: 1, cannotScan: 2, interrupted: 130 } as const;

/**
 * `npm run scan`: has a folder or ZIP audited and writes the result. Everything it started or stored is gone when it returns, but for the
 * project and task on a service that the user named.
 * @returns the exit code of the process; never rejects
 */
export async function runScan(argv: readonly string[], io: ScanIo): Promise<number> {
  let language = environmentLanguage(io.env);
  try {
    const options = readOptions(argv, io.env, io.cwd);
    language = options.language;
    if (options.help) await write(io.stdout, help[language]);
    return options.help ? exitCodes.fine : await scan(options, io, sayIn(language));
  } catch (error) {
    const say = sayIn(language);
    await write(io.stderr, `${io.signal.aborted ? say("interrupted") : sentenceOf(error, language, say)}\n`);
    return io.signal.aborted ? exitCodes.interrupted : exitCodes.cannotScan;
  }
}

async function scan(options: ScanOptions, io: ScanIo, say: Say): Promise<number> {
  const startedAt = performance.now();
  if (options.out !== null) await requireWritable(options.out);
  if (options.service && travelsInClear(options.service.url))
    await write(io.stderr, `${say("token_in_clear", { host: new URL(options.service.url).host })}\n`);
  const rules = await readRules(options.rules);
  for (const refusal of rules.refused) await write(io.stderr, `${say("rule_refused", { refusal })}\n`);
  const progress = createProgress(io.stderr, say);
  const data = dataFolder(io.env);
  const work = await createWorkFolder(data);
  try {
    const archive = await sourceArchive(options, { workFolder: work.path, dataFolder: data }, progress, io.signal);
    const { task, issues, total, files } = await withService(
      options,
      `${work.path}/service`,
      progress,
      io.signal,
      (client) => audit(client, archive, { ...options, rules: rules.drafts }, progress, io.signal),
    );
    progress.stop();
    const seconds = (performance.now() - startedAt) / 1000;
    const scanned = { kind: archive.kind, name: archive.name, files: archive.files ?? files };
    const result = { scanned, task, issues, unpackable: archive.unpackable, seconds, language: options.language };
    const summary = summarise(result);
    await deliver(result, summary, options, io, say);
    if (total > issues.length) await write(io.stderr, `${say("issues_left_out", { shown: issues.length, total })}\n`);
    return exitCodeOf(result, summary, options);
  } finally {
    progress.stop();
    await work.remove();
  }
}

/** A scan that looked at nothing must not turn a build green. */
function exitCodeOf(result: ScanResult, summary: Summary, { failOn }: ScanOptions): number {
  if (!summary.analysed) return exitCodes.cannotScan;
  const bad = failOn === null ? [] : severities.slice(0, severities.indexOf(failOn) + 1);
  return result.issues.some((issue) => isOpen(issue) && bad.includes(issue.severity))
    ? exitCodes.issues
    : exitCodes.fine;
}

function dataFolder(env: NodeJS.ProcessEnv): string {
  try {
    return readSettings(env).dataFolder;
  } catch (error) {
    throw new CannotScan("settings_wrong", { reason: (error as Error).message }, error);
  }
}

/** What we foresaw is one sentence. Anything else is a fault of ours, and its stack helps whoever reports it. */
function sentenceOf(error: unknown, language: Language, say: Say): string {
  if (error instanceof CannotScan) return error.sentence(say);
  if (error instanceof SluiceError) return printable(error.text(language));
  return printableLines((error as Error).stack ?? String(error));
}
