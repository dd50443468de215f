import { parseArgs } from "node:util";
import type { Language } from "../../functions/platform/language.ts";
import { CannotScan } from "../scan/cannot-scan.ts";
import { environmentLanguage, runningService } from "../scan/options.ts";
import { reasonIn } from "./texts.ts";

const commands = ["ls", "cat", "verify"] as const;

export interface LogOptions {
  readonly command: (typeof commands)[number];
  /** Name or id; null only for `ls`. */
  readonly run: string | null;
  /** Null is the oldest item that is kept. */
  readonly from: number | null;
  readonly limit: number;
  readonly data: boolean;
  readonly service: { readonly url: string; readonly token: string };
  readonly language: Language;
}

/** Where `npm start` serves. */
const localUrl = "http://127.0.0.1:8787";

const known = {
  from: { type: "string" },
  limit: { type: "string" },
  data: { type: "boolean" },
  url: { type: "string" },
  token: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads the command line. @returns null when only help is wanted @throws CannotScan usage */
export function readLogOptions(argv: readonly string[], env: NodeJS.ProcessEnv): LogOptions | null {
  const { values, positionals } = parse(argv);
  if (values.help) return null;
  const language = environmentLanguage(env);
  const [command, run = null, more] = positionals;
  if (!isCommand(command)) throw usage(reasonIn(language, "command_unknown"));
  if (run === null && command !== "ls") throw usage(reasonIn(language, "run_missing"));
  if (more !== undefined) throw usage(reasonIn(language, "word_too_many", more));
  const isCat = command === "cat";
  const strange = (["from", "limit", "data"] as const).find((name) => values[name] !== undefined && !isCat);
  if (strange) throw usage(reasonIn(language, "option_of_cat", strange));
  return {
    command,
    run,
    from: values.from === undefined ? null : count("from", values.from, language),
    limit: values.limit === undefined ? Number.POSITIVE_INFINITY : count("limit", values.limit, language),
    data: values.data ?? false,
    service: runningService(values.url ?? localUrl, values.token, env.SLUICE_TOKEN, language),
    language,
  };
}

const isCommand = (given: string | undefined): given is LogOptions["command"] =>
  (commands as readonly (string | undefined)[]).includes(given);

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, allowPositionals: true });
  } catch (error) {
    throw usage((error as Error).message.split(/\. |\n/)[0] as string);
  }
}

function count(option: string, given: string, language: Language): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw usage(reasonIn(language, "number_expected", option));
}

const usage = (reason: string) => new CannotScan("usage", { reason });
