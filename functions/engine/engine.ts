import { createHash } from "node:crypto";
import { analyseCode } from "./analyse-code.ts";
import type { Candidate, Coverage, FileArtefact, FunctionPlace, LinkRecord, SourceFile } from "./artefact.ts";
import { Catalogue } from "./catalogue/catalogue.ts";
import type { CatalogueData } from "./catalogue/schema.ts";
import { markedComments } from "./config/config-comments.ts";
import { configFormatOf } from "./config/config-format.ts";
import { namedSettings } from "./config/named-settings.ts";
import { ConfigScanner } from "./config/scan.ts";
import type { Finding } from "./finding.ts";
import { Suppressions } from "./findings/suppression.ts";
import { decode, isBinary } from "./inventory/decode.ts";
import { depthOf } from "./inventory/depth.ts";
import { languageOf } from "./inventory/language.ts";
import { isLibraryManifest } from "./inventory/library-manifest.ts";
import { LineIndex } from "./inventory/line-index.ts";
import { type LinkOptions, link } from "./link/link.ts";
import { noLinks } from "./link/link-record.ts";
import { Modules } from "./link/modules.ts";
import { byCodeUnits } from "./link/order.ts";
import { type OwnRulesFile, unparsedFile } from "./match/own-rules.ts";
import { SourceParser } from "./parse/parser.ts";
import { excerptsOf } from "./review/excerpts.ts";
import type { Excerpt, ReviewUnit } from "./review/review.ts";
import { type SlicePlace, type Slices, slicesOf } from "./review/slices.ts";
import { unitsOf } from "./review/units.ts";
import { SecretScanner } from "./secrets/scan.ts";
import type { ShownText } from "./secrets/shown-text.ts";
import { scriptsOf } from "./templates/page-scripts.ts";
import { TemplateScanner } from "./templates/scan.ts";
import { templateFormatOf } from "./templates/template-format.ts";
import { TextScanner } from "./text-rules/scan.ts";
import { TimeLimit, TimeUp, type WorkClock } from "./time-limit.ts";
import { broughtRules } from "./user-rules/brought-rules.ts";
import { type PatternFile, type PatternMatches, scanPatterns, type UserPattern } from "./user-rules/user-pattern.ts";

/** Raise when code changes what is found: artefacts of other versions are not reused. */
const codeVersion = 6;
/** Above this a file is not decoded as a whole; its beginning is searched for secrets. */
const bytesMax = 8 * 1_048_576;

/** Where the engine reads its data: "web-tree-sitter.wasm", "tree-sitter-python.wasm", "catalogue.json". */
export interface EngineAssets {
  read(name: string): Promise<Uint8Array>;
  /**
   * Tells how long this thread has worked; with it a file ends after two seconds of work, whatever it is.
   * @default no limit: then nothing but the bytes decides what is found
   */
  readonly clock?: WorkClock;
}

/** What the owner of a scan adds to the rules. Who keeps artefacts keys them by this too. */
export interface AnalysisOptions {
  readonly patterns?: readonly UserPattern[];
  /** The rules on quality and performance that are on, by their codes in the seeded rule sets: "CQ001", "PERF001". */
  readonly codes?: readonly string[];
}

/** Turns source files into findings. Deterministic: the same bytes give the same artefact, whatever was analysed before. */
export interface Engine {
  /** Changes whenever the same input may give another result. */
  readonly version: string;
  /** Analyses one file on its own. Never throws for what a file contains: trouble is told in its coverage. */
  analyse(file: SourceFile, options?: AnalysisOptions): Promise<FileArtefact>;
  /** Joins the artefacts of a scan: findings by path, line, column, family, fingerprint, each once. */
  link(artefacts: readonly FileArtefact[], options?: LinkOptions): Finding[];
  /**
   * Cuts a file into what a model looks at in one call each, with the findings that lie there. Every secret is masked, whatever the
   * findings say: rules can be switched off and silenced, and what is not masked here leaves the house.
   */
  unitsOf(file: SourceFile, findings: readonly Finding[], known?: LookedAt): ReviewUnit[];
  /** The functions around each finding of a scan that help to judge it. */
  slicesOf(findings: readonly Finding[], artefacts: readonly FileArtefact[]): Slices;
  /** Cuts functions out of a file, as a model may see them: every secret is masked. Those too long to be shown are left out. */
  excerptsOf(file: SourceFile, places: readonly SlicePlace[], known?: LookedAt): Excerpt[];
}

/** What is known of a file that was analysed; of others the secrets that can be told by the text alone are masked. */
export type LookedAt = Pick<FileArtefact, "functions" | "hidden">;

const pathOrder = (a: FileArtefact, b: FileArtefact): number => byCodeUnits(a.coverage.path, b.coverage.path);

/** Loads rules, models and the parser. Grammars are loaded with the first file that needs them. */
export async function createEngine(assets: EngineAssets): Promise<Engine> {
  const bytes = await assets.read("catalogue.json");
  const catalogue = new Catalogue(JSON.parse(new TextDecoder().decode(bytes)) as CatalogueData);
  const parser = await SourceParser.create(assets);
  const secrets = new SecretScanner(catalogue.secretRules);
  const texts = new TextScanner(catalogue.textRules);
  const configs = new ConfigScanner(catalogue.configRules);
  const templates = new TemplateScanner(catalogue.templateRules);
  const maskOf = (known?: LookedAt) => (text: string) => secrets.find(text).shown.without(known?.hidden ?? []).text;
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  return {
    version: `${codeVersion}-${digest}`,
    analyse: (file, options = {}) =>
      analyse({ catalogue, parser, secrets, texts, configs, templates, clock: assets.clock ?? null }, file, options),
    link: (artefacts, options) => link(catalogue, artefacts, options),
    unitsOf: (file, findings, known) => unitsOf(file, findings, maskOf(known), known?.functions),
    slicesOf: (findings, artefacts) => slicesOf(findings, artefacts, new Modules(artefacts.toSorted(pathOrder), [])),
    excerptsOf: (file, places, known) => excerptsOf(file, places, maskOf(known)),
  };
}

const noMatches = { candidates: [], reason: null };

interface Parts {
  catalogue: Catalogue;
  parser: SourceParser;
  secrets: SecretScanner;
  texts: TextScanner;
  configs: ConfigScanner;
  templates: TemplateScanner;
  clock: WorkClock | null;
}

async function analyse(
  { catalogue: all, parser, secrets, texts, configs, templates, clock }: Parts,
  file: SourceFile,
  { patterns = [], codes = [] }: AnalysisOptions,
): Promise<FileArtefact> {
  const catalogue = all.withCodes(codes);
  const language = languageOf(file.path, new TextDecoder("latin1").decode(file.bytes.subarray(0, 256)));
  const sha256 = createHash("sha256").update(file.bytes).digest("hex");
  const coverage: Coverage = {
    path: file.path,
    status: "analysed",
    reason: null,
    language: language.name,
    lines: 0,
    bytes: file.bytes.length,
  };
  const ended = (
    status: Coverage["status"],
    reason: string | null,
    candidates: Candidate[] = [],
    links = noLinks,
    { functions, shown }: { functions?: FunctionPlace[]; shown?: ShownText } = {},
  ): FileArtefact => ({
    coverage: { ...coverage, status, reason },
    sha256,
    candidates,
    link: links,
    functions: functions ?? [],
    hidden: (shown?.hidden ?? []).map(({ start, end }) => ({ start, end })),
  });
  if (file.bytes.length === 0) return ended("skipped", "empty");
  if (isBinary(file.bytes)) return ended("skipped", "binary");
  const limit = new TimeLimit(clock);
  const looked = (reason: string | null, ...rest: [Candidate[], LinkRecord, { shown: ShownText }]): FileArtefact => {
    const why = limit.isUp ? "time_limit" : reason;
    return ended(why === null ? "analysed" : "partial", why, ...rest);
  };
  try {
    const text = decode(file.bytes.subarray(0, bytesMax));
    const lines = new LineIndex(text);
    coverage.lines = lines.count;
    const found = secrets.find(text, lines, limit);
    const brought = await broughtRules(parser, patterns);
    const ownMatches = (suppressed: PatternFile["suppressed"], code: OwnRulesFile): PatternMatches => {
      const byLine = scanPatterns(
        brought.lines,
        { language: language.name, lines, shown: code.context.lines, suppressed },
        limit,
      );
      const byRule = brought.rules.run(catalogue, code, limit);
      return { candidates: [...byLine.candidates, ...byRule.candidates], reason: byLine.reason ?? byRule.reason };
    };
    const unparsed = (suppressions: Suppressions, shown = found.shown) =>
      unparsedFile(text, { text: shown.text, lines: shown.lines, errors: [], suppressions, hashComments: false });
    const { depth, reason: cut } = depthOf(text, file.bytes.length);
    const grammar = depth === "full" ? language.grammar : null;
    if (!grammar) {
      // Plain text has nothing but secrets to be found; only code loses something by not being parsed.
      const isCode = language.grammar !== null || language.unsupported;
      const left = file.bytes.length > bytesMax ? "size_limit" : isCode ? (cut ?? "language_not_supported") : null;
      const format = configFormatOf(file.path);
      const template = templateFormatOf(file.path);
      const suppressions = new Suppressions(found.shown.text, format || template ? markedComments(text) : [], lines);
      const suppressed = (rule: string, line: number) => suppressions.of(rule, line);
      const isGeneric = ({ ruleId }: Candidate) => catalogue.rules.get(ruleId)?.secret?.generic === true;
      const told = new Set(linesOf(found.candidates(suppressed).filter((candidate) => !isGeneric(candidate))));
      const config =
        depth === "full" && format
          ? configs.scan(format, text, found.shown, suppressed, told, limit)
          : { ...noMatches, shown: found.shown };
      const scripts = depth === "full" && template ? scriptsOf(template, text) : null;
      // What the parser cannot make sense of is often what the template engine fills in; the page is read all the same.
      const script = scripts
        ? await analyseCode(catalogue, parser, scripts.grammar, scripts.text, lines, config.shown, limit)
        : { ...noMatches, shown: config.shown };
      const shown = script.shown;
      const page =
        depth === "full" && template
          ? templates.scan(template, text, shown, suppressed, limit)
          : { ...noMatches, links: noLinks };
      const own = depth === "full" ? ownMatches(suppressed, unparsed(suppressions, shown)) : noMatches;
      const reason = left ?? config.reason ?? page.reason ?? own.reason;
      const secretLines = new Set(linesOf(config.candidates.filter(({ ruleId }) => isAboutSecrets(catalogue, ruleId))));
      const candidates = [
        // A rule that knows the document says more than one that goes by a name.
        ...found
          .candidates(suppressed, shown)
          .filter((candidate) => !(isGeneric(candidate) && secretLines.has(candidate.startLine))),
        ...config.candidates,
        ...page.candidates,
        ...script.candidates,
        ...texts.scan(shown, suppressed, limit),
        ...own.candidates,
      ];
      const settings = format === "properties" ? { settings: namedSettings(shown.text) } : {};
      const library = isLibraryManifest(file.path, text) ? { library: true as const } : {};
      return looked(reason, candidates, { ...page.links, ...settings, ...library }, { shown });
    }
    const code = await analyseCode(catalogue, parser, grammar, text, lines, found.shown, limit);
    const suppressed = (rule: string, line: number) => code.suppressions.of(rule, line);
    const own = ownMatches(suppressed, code.own ?? unparsed(code.suppressions));
    const reason = code.reason ?? own.reason;
    const keyPlaces = code.candidates.filter(({ ruleId }) => isAboutSecrets(catalogue, ruleId));
    const told = (secret: string, line: number) =>
      code.keys.has(secret) && keyPlaces.some(({ startLine, endLine }) => startLine <= line && line <= endLine);
    const candidates = [
      ...found.candidates(suppressed, code.shown, told),
      ...code.candidates,
      ...texts.scan(code.shown, suppressed, limit),
      ...own.candidates,
    ];
    return looked(reason, candidates, code.links, code);
  } catch (error) {
    if (error instanceof TimeUp) return ended("partial", "time_limit");
    // Whatever happens inside one file must not cost the others their analysis.
    return ended("failed", error instanceof RangeError ? "stack_overflow" : "internal_error");
  }
}

function isAboutSecrets(catalogue: Catalogue, ruleId: string): boolean {
  const rule = catalogue.rules.get(ruleId);
  return rule !== undefined && catalogue.family(rule.family).type === "hardcoded_secret";
}

const linesOf = (candidates: readonly Candidate[]): number[] => candidates.map((candidate) => candidate.startLine);
