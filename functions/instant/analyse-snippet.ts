import { setTimeout as sleep } from "node:timers/promises";
import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import type { FileArtefact, SourceFile } from "../engine/artefact.ts";
import type { Engine } from "../engine/engine.ts";
import type { Finding } from "../engine/finding.ts";
import { mergeReview } from "../engine/review/merge.ts";
import type { ReviewUnit } from "../engine/review/review.ts";
import { reviewUnit } from "../engine/review/review-unit.ts";
import { reviewable } from "../engine/review/units.ts";
import { ModelFailure, type ModelSettings } from "../llm/model.ts";
import { modelOf } from "../llm/user-model.ts";
import { applicationKey } from "../platform/application-key.ts";
import { auditEngine } from "../platform/audit-engine.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { BatchReview } from "../scans/batch-review.ts";
import { CallSlots } from "../scans/call-slots.ts";
import { CarefulAsking, OutOfTime } from "../scans/careful-asking.ts";
import type { Reviewed } from "../scans/review-result.ts";
import { askWithin } from "../spending/ask-within.ts";
import type { CodeLanguage } from "./code-language.ts";
import type { Analysed, InstantWarning } from "./instant-analysis.ts";
import { instantWarning, warningOfReview, warningOfSkip, warningsOfRules } from "./instant-warnings.ts";

export interface Snippet {
  readonly code: string;
  readonly language: CodeLanguage;
  /** Text of the prompt template; null means the built-in one. */
  readonly template: string | null;
  readonly outputLanguage: Language;
}

export interface SnippetProps {
  readonly userId: string;
  readonly config: UserConfig | null;
  /** When the model has to be done, on the clock of `performance.now()`. */
  readonly until: number;
  readonly now: () => Date;
}

/**
 * Analyses a piece of code as a scan would analyse a file: the rules always, then the user's model, if there is one and the code is of a
 * kind that models look at. Whatever becomes of the model, what the rules have found stands.
 */
export async function analyseSnippet(snippet: Snippet, props: SnippetProps): Promise<Analysed> {
  const { language, outputLanguage } = snippet;
  const engine = await auditEngine();
  const file = { path: language.fileName, bytes: Buffer.from(snippet.code) };
  const artefact = await engine.analyse(file);
  const found = engine.link([artefact]);
  const review = await reviewSnippet(snippet, file, { engine, found, known: artefact }, props);
  const merged = mergeReview(found, review.outcomes);
  const findings = merged.filter(({ suppressed }) => !suppressed);
  const silenced = merged.length - findings.length;
  const byModel = review.outcomes.length > 0;
  return {
    findings,
    looked: byModel || artefact.coverage.status === "analysed" || artefact.coverage.status === "partial",
    mode: byModel ? "rules_and_model" : "rules",
    warnings: [
      ...warningsOfRules(artefact.coverage, language.name === "text", outputLanguage),
      ...review.warnings,
      ...(silenced > 0 ? [instantWarning("suppressed_findings", outputLanguage, silenced)] : []),
    ],
  };
}

interface SnippetReview {
  readonly outcomes: readonly Reviewed[];
  readonly warnings: readonly InstantWarning[];
}

async function reviewSnippet(
  { language, template, outputLanguage }: Snippet,
  file: SourceFile,
  { engine, found, known }: { engine: Engine; found: readonly Finding[]; known: FileArtefact },
  props: SnippetProps,
): Promise<SnippetReview> {
  const warned = (...warnings: InstantWarning[]): SnippetReview => ({ outcomes: [], warnings });
  const settings = await modelFor(props, outputLanguage);
  if (settings === null) return warned(instantWarning("no_model", outputLanguage));
  if ("code" in settings) return warned(settings);
  // That only secrets are searched for in plain text is said already.
  if (language.name === "text") return warned();
  const looked = reviewable(file.path, file.bytes);
  if (!looked.review) return warned(warningOfSkip(looked.reason, outputLanguage));
  const fenceKey = (await applicationKey(`review-fence ${props.userId}`)).toString("hex");
  const asking = askingWithin(settings, props);
  const instructions = { template, rules: [], outputLanguage };
  const review = async (unit: ReviewUnit) =>
    reviewUnit({ ...unit, language: language.name }, instructions, (prompt) => asking.ask(prompt), { fenceKey }).catch(
      (error) => {
        // While there is time left, it is only less than the provider wants to be left alone for.
        if (!(error instanceof OutOfTime)) throw error;
        throw new ModelFailure(performance.now() < props.until ? "rate_limit" : "timeout");
      },
    );
  return reviewAll(engine.unitsOf(file, found, known), review, props.config, outputLanguage);
}

/** The user's model, null when there is none, or the warning that what they have set up cannot be used. */
async function modelFor(
  { config, userId }: SnippetProps,
  language: Language,
): Promise<ModelSettings | InstantWarning | null> {
  try {
    return await modelOf(config, userId);
  } catch (error) {
    if (isSluiceError(error)) return { code: "model_unusable", message: error.text(language) };
    throw error;
  }
}

/** With the patience of a scan, as far as the time goes. */
function askingWithin(settings: ModelSettings, { userId, config, until, now }: SnippetProps): CarefulAsking {
  return new CarefulAsking({
    call: askWithin({ userId, config, settings, until, now }),
    // As many at a time as the user allows. The pause between calls, which is made for long scans, would eat the time.
    slots: new CallSlots({ slots: callsAtOnce(config), gapMs: 0, sleep }),
    roomWaitsMs: [],
    mayGoOn: async () => {},
    until: new Date(now().getTime() + until - performance.now()),
    now,
    sleep: (ms) => sleep(Math.min(ms, Math.max(0, until - performance.now()))),
    random: Math.random,
  });
}

const callsAtOnce = (config: UserConfig | null): number =>
  config?.otherConfig.llmConcurrency ?? defaultSettings.otherConfig.llmConcurrency;

async function reviewAll(
  units: readonly ReviewUnit[],
  review: (unit: ReviewUnit) => ReturnType<typeof reviewUnit>,
  config: UserConfig | null,
  language: Language,
): Promise<SnippetReview> {
  const batch = new BatchReview({
    units,
    done: {},
    workers: callsAtOnce(config),
    review,
    find: async () => null,
    keep: async () => {},
    // Whoever waits for an answer within seconds has no time for another model.
    alternative: null,
    stop: async () => {},
  });
  await batch.run();
  const results = Object.values(batch.results);
  const reasons = new Set(results.flatMap((result) => (result.status === "failed" ? [result.reason] : [])));
  return {
    outcomes: results.flatMap((result) => (result.status === "failed" ? [] : [result.outcome])),
    warnings: [...reasons].map((reason) => warningOfReview(reason, language)),
  };
}
