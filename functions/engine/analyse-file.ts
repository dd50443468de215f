import { createHash } from "node:crypto";
import { analyseCode } from "./analyse-code.ts";
import type { Candidate, Coverage, FileArtefact, FunctionPlace, LinkRecord, SourceFile } from "./artefact.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { markedComments } from "./config/config-comments.ts";
import { configFormatOf } from "./config/config-format.ts";
import { namedSettings } from "./config/named-settings.ts";
import { openapiCalls } from "./config/openapi-calls.ts";
import type { ConfigScanner } from "./config/scan.ts";
import { symfonyAccess } from "./config/symfony-access.ts";
import { webXmlAccess } from "./config/web-xml-access.ts";
import { Suppressions } from "./findings/suppression.ts";
import { decode, isBinary } from "./inventory/decode.ts";
import { depthOf } from "./inventory/depth.ts";
import { type FileLanguage, languageOf } from "./inventory/language.ts";
import { manifestLinks } from "./inventory/library-manifest.ts";
import { LineIndex } from "./inventory/line-index.ts";
import { noLinks } from "./link/link-record.ts";
import { submittedIn } from "./link/submitted.ts";
import { type OwnRulesFile, unparsedFile } from "./match/own-rules.ts";
import type { SourceParser } from "./parse/parser.ts";
import type { FoundSecrets, SecretScanner } from "./secrets/scan.ts";
import { ShownConstants } from "./secrets/shown-constants.ts";
import type { ShownText } from "./secrets/shown-text.ts";
import { codeOf } from "./templates/page-code.ts";
import { scriptsOf } from "./templates/page-scripts.ts";
import type { TemplateScanner } from "./templates/scan.ts";
import { templateFormatOf } from "./templates/template-format.ts";
import type { TextScanner } from "./text-rules/scan.ts";
import { type TimeLimit, TimeUp } from "./time-limit.ts";
import { type BroughtRules, broughtRules } from "./user-rules/brought-rules.ts";
import { type PatternFile, type PatternMatches, scanPatterns, type UserPattern } from "./user-rules/user-pattern.ts";

/** Above this a file is not decoded as a whole; its beginning is searched for secrets. */
const bytesMax = 8 * 1_048_576;

/** What looks at a file. */
export interface Scanners {
  /** With the rules that are on for this scan. */
  readonly catalogue: Catalogue;
  readonly parser: SourceParser;
  readonly secrets: SecretScanner;
  readonly texts: TextScanner;
  readonly configs: ConfigScanner;
  readonly templates: TemplateScanner;
}

/** A file that is worth reading, with what every way of reading it needs. */
interface Reading {
  readonly scanners: Scanners;
  readonly file: SourceFile;
  readonly language: FileLanguage;
  readonly text: string;
  readonly lines: LineIndex;
  /** What can be told to be a secret by the text alone. */
  readonly found: FoundSecrets;
  readonly brought: BroughtRules;
  readonly limit: TimeLimit;
}

/** What reading a file gave; `reason` says what was left out, null for nothing. */
interface Read {
  readonly reason: string | null;
  readonly candidates: Candidate[];
  readonly links: LinkRecord;
  readonly functions: FunctionPlace[];
  /** The file without secrets. */
  readonly shown: ShownText;
}

const noMatches = { candidates: [], reason: null };

/**
 * Analyses one file on its own, by all rules there are and those that users have brought. Never throws for what a file contains: trouble
 * is told in its coverage.
 */
export async function analyseFile(
  scanners: Scanners,
  file: SourceFile,
  patterns: readonly UserPattern[],
  limit: TimeLimit,
): Promise<FileArtefact> {
  const language = languageOf(file.path, new TextDecoder("latin1").decode(file.bytes.subarray(0, 256)));
  const sha256 = createHash("sha256").update(file.bytes).digest("hex");
  let lineCount = 0;
  const ended = (status: Coverage["status"], reason: string | null, read?: Read): FileArtefact => ({
    coverage: { path: file.path, status, reason, language: language.name, lines: lineCount, bytes: file.bytes.length },
    sha256,
    candidates: read?.candidates ?? [],
    link: read?.links ?? noLinks,
    functions: read?.functions ?? [],
    hidden: (read?.shown.hidden ?? []).map(({ start, end }) => ({ start, end })),
  });
  if (file.bytes.length === 0) return ended("skipped", "empty");
  if (isBinary(file.bytes)) return ended("skipped", "binary");
  try {
    const text = decode(file.bytes.subarray(0, bytesMax));
    const lines = new LineIndex(text);
    lineCount = lines.count;
    const found = scanners.secrets.find(text, lines, limit);
    const brought = await broughtRules(scanners.parser, patterns);
    const read = await readFile({ scanners, file, language, text, lines, found, brought, limit });
    const reason = limit.isUp ? "time_limit" : read.reason;
    return ended(reason === null ? "analysed" : "partial", reason, read);
  } catch (error) {
    if (error instanceof TimeUp) return ended("partial", "time_limit");
    // Whatever happens inside one file must not cost the others their analysis.
    return ended("failed", error instanceof RangeError ? "stack_overflow" : "internal_error");
  }
}

function readFile(reading: Reading): Promise<Read> {
  const { file, language, text } = reading;
  const { depth, reason } = depthOf(text, file.bytes.length);
  if (depth === "full") return language.grammar ? readCode(reading, language.grammar) : readDocument(reading);
  // Plain text has nothing but secrets to be found; only code loses something by not being parsed.
  const isCode = language.grammar !== null || language.unsupported;
  return Promise.resolve(skim(reading, isCode || file.bytes.length > bytesMax ? reason : null));
}

/** Code, by its syntax tree. */
async function readCode(reading: Reading, grammar: string): Promise<Read> {
  const { scanners, text, lines, found, limit } = reading;
  const code = await analyseCode(scanners.catalogue, scanners.parser, grammar, text, lines, found.shown, limit);
  const { links, functions, shown, suppressions } = code;
  const suppressed = (rule: string, line: number) => suppressions.of(rule, line);
  const own = ownMatches(reading, suppressed, code.own ?? unparsed(text, found.shown, suppressions));
  const keyPlaces = code.candidates.filter(({ ruleId }) => isAboutSecrets(scanners.catalogue, ruleId));
  const told = (secret: string, line: number) =>
    code.keys.has(secret) && keyPlaces.some(({ startLine, endLine }) => startLine <= line && line <= endLine);
  const candidates = [
    ...found.candidates(suppressed, shown, told),
    ...code.candidates,
    ...scanners.texts.scan(shown, suppressed, limit, found.mayHave),
    ...own.candidates,
  ];
  const facts = {
    ...submittedIn(shown.text, found.mayHave),
    ...scanners.templates.shownByComponents(text, shown, suppressed, found.mayHave),
  };
  return { reason: code.reason ?? own.reason, candidates, links: { ...links, ...facts }, functions, shown };
}

/** Settings, templates, pages with their scripts, and plain text. */
async function readDocument(reading: Reading): Promise<Read> {
  const { scanners, file, language, text, lines, found, limit } = reading;
  const { catalogue, parser } = scanners;
  const format = configFormatOf(file.path);
  const template = templateFormatOf(file.path);
  const suppressions = documentSuppressions(reading);
  const suppressed = (rule: string, line: number) => suppressions.of(rule, line);
  const isGeneric = ({ ruleId }: Candidate) => catalogue.rules.get(ruleId)?.secret?.generic === true;
  const told = new Set(linesOf(found.candidates(suppressed).filter((candidate) => !isGeneric(candidate))));
  const config = format
    ? scanners.configs.scan(format, text, found.shown, suppressed, told, limit)
    : { ...noMatches, shown: found.shown };
  const scripts = template ? scriptsOf(template, text) : null;
  // What the parser cannot make sense of is often what the template engine fills in; the page is read all the same.
  const script = scripts
    ? await analyseCode(catalogue, parser, scripts.grammar, scripts.text, lines, config.shown, limit)
    : { ...noMatches, shown: config.shown, links: noLinks };
  const code = template ? codeOf(template, text) : null;
  const program = code
    ? await analyseCode(catalogue, parser, code.grammar, code.text, lines, script.shown, limit)
    : { ...noMatches, shown: script.shown, links: noLinks };
  const { shown } = program;
  const page = template
    ? scanners.templates.scan(template, text, shown, suppressed, limit)
    : { ...noMatches, links: noLinks };
  const own = ownMatches(reading, suppressed, unparsed(text, shown, suppressions));
  const secretLines = new Set(linesOf(config.candidates.filter(({ ruleId }) => isAboutSecrets(catalogue, ruleId))));
  const candidates = [
    // A rule that knows the document says more than one that goes by a name.
    ...found
      .candidates(suppressed, shown)
      .filter((candidate) => !(isGeneric(candidate) && secretLines.has(candidate.startLine))),
    ...config.candidates,
    ...page.candidates,
    ...script.candidates,
    ...program.candidates,
    ...scanners.texts.scan(shown, suppressed, limit, found.mayHave),
    ...own.candidates,
  ];
  const notSupported = language.unsupported ? "language_not_supported" : null;
  const reason = notSupported ?? config.reason ?? page.reason ?? own.reason;
  // A component imports what it needs, as code does, and nobody calls anything of it; scripts of other pages import nothing.
  const isComponent = template === "vue" || template === "svelte";
  const asking = isComponent
    ? { ...program.links, calls: script.links.calls, pending: script.links.pending }
    : program.links;
  const links = { ...joined(page.links, asking), ...documentFacts(reading, shown) };
  return { reason, candidates, links, functions: [], shown };
}

/** A page is a template to the code that shows it, and code itself. */
const joined = (page: LinkRecord, code: LinkRecord): LinkRecord => ({
  ...code,
  ...(page.shown && { shown: page.shown }),
  exports: [...page.exports, ...code.exports],
  calls: [...page.calls, ...code.calls],
  aliases: [...page.aliases, ...code.aliases],
});

/** What is too large or not written by people: its secrets, and what lines of text tell. */
function skim(reading: Reading, reason: string | null): Read {
  const { scanners, found, limit } = reading;
  const { shown } = found;
  const suppressions = documentSuppressions(reading);
  const suppressed = (rule: string, line: number) => suppressions.of(rule, line);
  const candidates = [
    ...found.candidates(suppressed, shown),
    ...scanners.texts.scan(shown, suppressed, limit, found.mayHave),
  ];
  return { reason, candidates, links: { ...noLinks, ...documentFacts(reading, shown) }, functions: [], shown };
}

/** The rules that users have brought, by lines of text and by syntax. */
function ownMatches(reading: Reading, suppressed: PatternFile["suppressed"], code: OwnRulesFile): PatternMatches {
  const { scanners, language, lines, brought, limit } = reading;
  const shown = code.context.lines;
  const byLine = scanPatterns(brought.lines, { language: language.name, lines, shown, suppressed }, limit);
  const byRule = brought.rules.run(scanners.catalogue, code, limit);
  return { candidates: [...byLine.candidates, ...byRule.candidates], reason: byLine.reason ?? byRule.reason };
}

const unparsed = (text: string, shown: ShownText, suppressions: Suppressions): OwnRulesFile =>
  unparsedFile(text, {
    text: shown.text,
    lines: shown.lines,
    shown: new ShownConstants(shown.text),
    errors: [],
    suppressions,
    hashComments: false,
  });

function documentSuppressions({ file, text, lines, found }: Reading): Suppressions {
  const hasComments = configFormatOf(file.path) !== null || templateFormatOf(file.path) !== null;
  return new Suppressions(found.shown.text, hasComments ? markedComments(text) : [], lines);
}

/** What a document says about the files beside it. */
function documentFacts({ file, text, lines, found, limit }: Reading, shown: ShownText): Partial<LinkRecord> {
  const format = configFormatOf(file.path);
  const web =
    format === "xml"
      ? webXmlAccess(shown.text)
      : format === "yaml"
        ? symfonyAccess(file.path, shown.text, limit)
        : null;
  const calls = format === "yaml" ? openapiCalls(shown.text, lines, limit) : null;
  return {
    ...(web && { web }),
    ...(calls && { calls }),
    ...(templateFormatOf(file.path) && submittedIn(shown.text, found.mayHave)),
    ...(format === "properties" && { settings: namedSettings(shown.text) }),
    ...manifestLinks(file.path, text),
  };
}

function isAboutSecrets(catalogue: Catalogue, ruleId: string): boolean {
  const rule = catalogue.rules.get(ruleId);
  return rule !== undefined && catalogue.family(rule.family).type === "hardcoded_secret";
}

const linesOf = (candidates: readonly Candidate[]): number[] => candidates.map((candidate) => candidate.startLine);
