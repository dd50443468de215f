import { createHash } from "node:crypto";

/** Faults of what a model says; the provider around it works. */
export const answerFaults = [
  "wrong_line",
  "line_out_of_range",
  "invented_file",
  "invented_quote",
  "paraphrased_quote",
  "quote_of_other_file",
  "invented_cve",
  "truncated_json",
  "prose_around_json",
  "fenced_json",
  "unknown_enum",
  "missing_field",
  "wrong_language",
  "refusal_in_prose",
  "same_issue_500_times",
  "obeys_injection",
] as const;
export type AnswerFault = (typeof answerFaults)[number];

/** Faults of the provider that still answers 200 with the right shape. */
const replyFaults = ["cut_at_limit", "empty", "refusal", "missing_usage", "usage_above"] as const;

/** Faults of the line between the provider and its client. */
export const transportFaults = ["stall", "slow_bytes", "huge_body", "reset_after_body"] as const;
export type TransportFault = (typeof transportFaults)[number];

/**
 * The provider does not answer this request. Named after the status of OpenAI-style providers; others say the same in their own way,
 * Baidu and MiniMax with a code in a 200.
 */
const serverFaults = ["status_429", "status_500", "status_500_then_good"] as const;

/** The provider does not serve this account or model, whatever the request. */
const accountFaults = ["status_401", "status_402", "status_403", "status_404_model", "status_429_quota"] as const;

export const faultKinds = [
  ...answerFaults,
  ...replyFaults,
  ...transportFaults,
  ...serverFaults,
  ...accountFaults,
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** By seed, these pass when the same content is asked again, as such troubles do. */
export const transientFaults: ReadonlySet<FaultKind> = new Set([
  ...serverFaults,
  "stall",
  "slow_bytes",
  "reset_after_body",
]);

export const isFaultKind = (name: unknown): name is FaultKind => (faultKinds as readonly unknown[]).includes(name);

export interface SeededFaults {
  readonly seed: number;
  /** Share of contents that get a fault, 0 to 1. */
  readonly rate: number;
  /** @default all but those of the account: a provider does not refuse a key for one file and take it for the next */
  readonly kinds?: readonly FaultKind[];
}

const seededByDefault = faultKinds.filter((kind) => !(accountFaults as readonly FaultKind[]).includes(kind));

/** Which fault a content gets: the same for the same seed and content, in any order and process. */
export function seededFault({ seed, rate, kinds = seededByDefault }: SeededFaults, content: string): FaultKind | null {
  if (rate === 0 || kinds.length === 0) return null;
  const digest = createHash("sha256").update(`${seed}\n`).update(content).digest();
  if (digest.readUInt32BE(0) / 2 ** 32 >= rate) return null;
  return kinds[digest.readUInt32BE(4) % kinds.length] as FaultKind;
}

/** `scripted` is perfect, `scripted-<fault>` always has the fault, and another `scripted-` is a model that does not exist. */
export function faultOfModel(model: string): FaultKind | null {
  const named = /^scripted-(.+)$/.exec(model)?.[1];
  if (named === undefined) return null;
  return isFaultKind(named) ? named : "status_404_model";
}

/** Contents are remembered up to this many, the oldest forgotten first; a run of ten thousand files fits with room to spare. */
const rememberedMax = 100_000;

/** Which contents have had their transient fault. */
export class HadFaults {
  readonly #contents = new Set<string>();

  /** True the first time that a content is seen. */
  isFirst(content: string): boolean {
    const hash = createHash("sha256").update(content).digest("base64");
    if (this.#contents.has(hash)) return false;
    this.#contents.add(hash);
    const [oldest] = this.#contents;
    if (this.#contents.size > rememberedMax && oldest !== undefined) this.#contents.delete(oldest);
    return true;
  }

  forget(): void {
    this.#contents.clear();
  }
}
