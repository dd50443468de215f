import { analyseFile } from "./analyse-file.ts";
import type { FileArtefact, SourceFile } from "./artefact.ts";
import { Catalogue } from "./catalogue/catalogue.ts";
import { type CatalogueHead, headFile, ModelFiles } from "./catalogue/model-files.ts";
import { ConfigScanner } from "./config/scan.ts";
import type { Finding } from "./finding.ts";
import { type LinkOptions, link } from "./link/link.ts";
import { Modules } from "./link/modules.ts";
import { byCodeUnits } from "./link/order.ts";
import { submittedWords } from "./link/submitted.ts";
import { SourceParser } from "./parse/parser.ts";
import { excerptsOf } from "./review/excerpts.ts";
import type { Excerpt, ReviewUnit } from "./review/review.ts";
import { type SlicePlace, type Slices, slicesOf } from "./review/slices.ts";
import { unitsOf } from "./review/units.ts";
import { SecretScanner } from "./secrets/scan.ts";
import { markWords } from "./templates/component-html.ts";
import { TemplateScanner } from "./templates/scan.ts";
import { TextScanner } from "./text-rules/scan.ts";
import { TimeLimit, type WorkClock } from "./time-limit.ts";
import type { UserPattern } from "./user-rules/user-pattern.ts";

/** Raise when code changes what is found: artefacts of other versions are not reused. */
const codeVersion = 29;

/** Where the engine reads its data: "web-tree-sitter.wasm", "tree-sitter-python.wasm", "catalogue.json", "models-python.json". */
export interface EngineAssets {
  read(name: string): Promise<Uint8Array>;
  /**
   * Tells how long this thread has worked; with it a file ends after two seconds of work, whatever it is.
   * @default no limit: then nothing but the bytes decides what is found
   */
  readonly clock?: WorkClock;
  /** Told before each file how large the grammar is that it is parsed with, in bytes: what its code takes when it is optimised grows with it. */
  readonly onGrammar?: (bytes: number) => void;
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

/** Loads rules and the parser. Grammars and models are loaded with the first file that needs them. */
export async function createEngine(assets: EngineAssets): Promise<Engine> {
  const head = JSON.parse(new TextDecoder().decode(await assets.read(headFile))) as CatalogueHead;
  const catalogue = new Catalogue(head, new ModelFiles((name) => assets.read(name)));
  const parser = await SourceParser.create(assets);
  const texts = new TextScanner(catalogue.textRules);
  const secrets = new SecretScanner(catalogue.secretRules, [...texts.keywords, ...submittedWords, ...markWords]);
  const configs = new ConfigScanner(catalogue.configRules);
  const templates = new TemplateScanner(catalogue.templateRules);
  const maskOf = (known?: LookedAt) => (text: string) => secrets.find(text).shown.without(known?.hidden ?? []).text;
  return {
    version: `${codeVersion}-${head.version}`,
    analyse: (file, options = {}) =>
      analyseFile(
        { catalogue: catalogue.withCodes(options.codes ?? []), parser, secrets, texts, configs, templates },
        file,
        options.patterns ?? [],
        new TimeLimit(assets.clock ?? null),
      ),
    link: (artefacts, options) => link(catalogue, artefacts, options),
    unitsOf: (file, findings, known) => unitsOf(file, findings, maskOf(known), known?.functions),
    slicesOf: (findings, artefacts) => slicesOf(findings, artefacts, new Modules(artefacts.toSorted(pathOrder), [])),
    excerptsOf: (file, places, known) => excerptsOf(file, places, maskOf(known)),
  };
}
