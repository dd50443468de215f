import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Severity, severities } from "../../functions/issues/issue.ts";
import type { Language } from "../../functions/platform/language.ts";
import { CannotScan } from "./cannot-scan.ts";
import { sayIn } from "./texts.ts";

export const formats = ["table", "json", "sarif", "markdown"] as const;
export type Format = (typeof formats)[number];

export interface ScanOptions {
  /** Absolute. */
  readonly target: string;
  readonly format: Format;
  /** Absolute; null is standard output. */
  readonly out: string | null;
  readonly exclude: readonly string[];
  /** Files of rules, or folders of them; absolute. */
  readonly rules: readonly string[];
  /** Whether the system's rules on quality and performance are on too. */
  readonly quality: boolean;
  readonly failOn: Severity | null;
  /** A running service; null starts one for the run. */
  readonly service: { readonly url: string; readonly token: string } | null;
  readonly language: Language;
  readonly help: false;
}

const known = {
  format: { type: "string" },
  out: { type: "string" },
  exclude: { type: "string", multiple: true },
  rules: { type: "string", multiple: true },
  quality: { type: "boolean" },
  "fail-on": { type: "string" },
  url: { type: "string" },
  token: { type: "string" },
  lang: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** The user only wants to know how. */
export interface HelpWanted {
  readonly help: true;
  readonly language: Language;
}

/**
 * Reads the command line. Relative paths are relative to where the user typed the command, see `startFolder`.
 * @throws CannotScan usage
 */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): ScanOptions | HelpWanted {
  const language = environmentLanguage(env);
  const { values, positionals } = parse(argv);
  const lang = values.lang === undefined ? language : choice("lang", values.lang, ["en", "zh"] as const, language);
  if (values.help) return { help: true, language: lang };
  const [target, second] = positionals;
  if (target === undefined || target === "") throw usage(sayIn(lang)("target_missing"));
  if (second !== undefined) throw usage(sayIn(lang)("target_twice", { second }));
  const folder = startFolder(env, cwd);
  return {
    target: resolve(folder, target),
    format: choice("format", values.format ?? "table", formats, lang),
    out: values.out === undefined ? null : resolve(folder, values.out),
    exclude: values.exclude ?? [],
    rules: (values.rules ?? []).map((path) => resolve(folder, path)),
    quality: values.quality ?? false,
    failOn: values["fail-on"] === undefined ? null : choice("fail-on", values["fail-on"], severities, lang),
    service: serviceOf(values, env, lang),
    language: lang,
    help: false,
  };
}

/** Chinese for a Chinese locale, else English. The variables count in the order of POSIX. */
export function environmentLanguage(env: NodeJS.ProcessEnv): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  return /^zh/i.test(locale) ? "zh" : "en";
}

/** npm changes into the project's folder before it runs a script; INIT_CWD is where the user was. Other scripts may pass theirs on to us. */
const startFolder = (env: NodeJS.ProcessEnv, cwd: string): string =>
  (env.npm_lifecycle_event === "scan" && env.INIT_CWD) || cwd;

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, allowPositionals: true });
  } catch (error) {
    // Node adds a second sentence about positional arguments that begin with a dash.
    throw usage((error as Error).message.split(/\. |\n/)[0] as string);
  }
}

function choice<T extends string>(option: string, given: string, choices: readonly T[], language: Language): T {
  if ((choices as readonly string[]).includes(given)) return given as T;
  throw usage(sayIn(language)("choice_unknown", { option, given, choices: choices.join(", ") }));
}

function serviceOf({ url, token }: { url?: string; token?: string }, env: NodeJS.ProcessEnv, language: Language) {
  if (url !== undefined) return runningService(url, token, env.SLUICE_TOKEN, language);
  if (token !== undefined) throw usage(sayIn(language)("token_alone"));
  return null;
}

/** A service that runs somewhere. @param kept the token of the environment @throws CannotScan usage */
export function runningService(url: string, option: string | undefined, kept: string | undefined, language: Language) {
  const say = sayIn(language);
  const token = option ?? kept;
  if (!token) throw usage(say("token_missing"));
  const parsed = URL.parse(url);
  const isService = /^https?:$/.test(parsed?.protocol ?? "") && !parsed?.username && !parsed?.search && !parsed?.hash;
  if (!parsed || !isService) throw usage(say("url_malformed", { given: url }));
  return { url: parsed.origin + parsed.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, ""), token };
}

const usage = (reason: string) => new CannotScan("usage", { reason });
