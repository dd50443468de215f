import type { Asked, Rejection, Reply } from "./dialect.ts";
import { type AnswerFault, answerFaults, type FaultKind } from "./faults.ts";
import { faultyAnswer, type OtherFiles, refusalText } from "./faulty-answer.ts";
import { reviewAnswer } from "./review-answer.ts";
import type { ShownCode } from "./shown-code.ts";

/** Providers' own tokenizers differ; this is what people reckon with. */
const charactersPerToken = 4;

const rejections: Partial<Readonly<Record<FaultKind, Rejection>>> = {
  status_401: "invalid_key",
  status_402: "balance",
  status_403: "forbidden",
  status_404_model: "model_not_found",
  status_429: "rate_limit",
  status_429_quota: "quota",
  status_500: "server_error",
  status_500_then_good: "server_error",
};

/** Why a provider with this fault does not answer; null when it does. */
export const rejectionOf = (fault: FaultKind | null): Rejection | null => (fault && rejections[fault]) ?? null;

/** What the model says to a request: a review for code, a greeting for anything else. */
export function composeReply(asked: Asked, shown: ShownCode, fault: FaultKind | null, otherFiles: OtherFiles): Reply {
  const reply = saidInFull(asked, shown, fault, otherFiles);
  const charactersMax = (asked.maxTokens ?? Number.POSITIVE_INFINITY) * charactersPerToken;
  // The repeated issue is there to be read as a whole; cutting it would make it another fault.
  if (fault === "same_issue_500_times" || reply.text.length <= charactersMax) return reply;
  return { ...cut(reply, charactersMax), usage: usageOf(asked, reply.text.slice(0, charactersMax)) };
}

function saidInFull(asked: Asked, shown: ShownCode, fault: FaultKind | null, otherFiles: OtherFiles): Reply {
  const text =
    isAnswerFault(fault) && shown.lines.length > 0 ? faultyAnswer(fault, shown, otherFiles) : goodText(shown);
  const good: Reply = { text, finish: "stop", usage: usageOf(asked, text) };
  switch (fault) {
    case "empty":
      return { text: "", finish: "stop", usage: usageOf(asked, "") };
    case "refusal":
      return { text: refusalText[shown.language], finish: "refused", usage: usageOf(asked, "") };
    case "cut_at_limit":
      return cut(good, text.length / 2);
    case "missing_usage":
      return { ...good, usage: null };
    case "usage_above":
      return { ...good, usage: usageAbove(asked) };
    default:
      return good;
  }
}

const isAnswerFault = (fault: FaultKind | null): fault is AnswerFault =>
  (answerFaults as readonly (FaultKind | null)[]).includes(fault);

const greetings = { en: "Hello", zh: "你好" } as const;

const goodText = (shown: ShownCode): string =>
  shown.lines.length > 0 ? JSON.stringify(reviewAnswer(shown)) : greetings[shown.language];

const cut = (reply: Reply, characters: number): Reply => ({
  ...reply,
  text: reply.text.slice(0, characters),
  finish: "length",
});

const tokens = (characters: number): number => Math.ceil(characters / charactersPerToken);

const charactersAsked = ({ system, turns }: Asked): number =>
  turns.reduce((sum, { text }) => sum + text.length, system.length);

const usageOf = (asked: Asked, text: string) => ({
  inputTokens: tokens(charactersAsked(asked)),
  outputTokens: tokens(text.length),
});

/** More than any careful client reserved: no token is shorter than a byte, no character longer than four, no answer above its limit. */
const usageAbove = (asked: Asked) => ({
  inputTokens: charactersAsked(asked) * 5 + 10_000,
  outputTokens: (asked.maxTokens ?? 100_000) * 2,
});
