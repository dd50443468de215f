import { gateReply, type Reviewed } from "./gate-reply.ts";
import { identify } from "./identity.ts";
import { writtenText } from "./model-finding.ts";
import { isInLanguage } from "./output-language.ts";
import { askAgain, reviewPrompt } from "./prompt.ts";
import { type ReadReply, readReply } from "./read-reply.ts";
import type { AskModel, ReviewInstructions, ReviewOutcome, ReviewPrompt, ReviewUnit } from "./review.ts";
import { splitUnit } from "./units.ts";

/** Halves of halves: a model whose answer to a quarter of a unit is still too long repeats itself. */
const splitsMax = 2;

type Failed = Omit<Extract<ReviewOutcome, { status: "failed" }>, "reply">;
/** Enough to see what a model has made of the task; one that never ends fills nothing. */
const replyCharactersMax = 16_384;

/**
 * Has a model look at a unit, and keeps of its answer what the code bears out. Asks at most twice: once more when the first answer
 * cannot be read or is in another language. An answer that was cut is not asked for again; the unit is halved instead, at most twice,
 * and fails as a whole when a part does.
 * @param ask what it throws passes through
 * @param options.fenceKey a secret of the tenant, from which the marks around the code are made
 */
export async function reviewUnit(
  unit: ReviewUnit,
  instructions: ReviewInstructions,
  ask: AskModel,
  options: { readonly fenceKey: string },
): Promise<ReviewOutcome> {
  let reply = "";
  const remembering: AskModel = async (prompt) => {
    const answer = await ask(prompt);
    reply = answer.text;
    return answer;
  };
  const outcome = await reviewPart(unit, instructions, remembering, options.fenceKey, splitsMax);
  if (outcome.status === "failed") return { ...outcome, reply: reply.slice(0, replyCharactersMax).toWellFormed() };
  const taken = new Set(unit.findings.map((finding) => finding.fingerprint));
  return { ...outcome, findings: identify(outcome.findings, taken) };
}

async function reviewPart(
  unit: ReviewUnit,
  instructions: ReviewInstructions,
  ask: AskModel,
  fenceKey: string,
  splits: number,
): Promise<Reviewed | Failed> {
  const prompt = reviewPrompt(unit, instructions, fenceKey);
  const answer = await askTwice(prompt, instructions.outputLanguage, ask);
  if (answer === "cut") {
    const halves = splits > 0 ? splitUnit(unit) : null;
    if (!halves) return failed("truncated");
    const [first, second] = halves;
    const before = await reviewPart(first, instructions, ask, fenceKey, splits - 1);
    // Half a review is none, so the other half would be paid for nothing.
    if (before.status === "failed") return before;
    const after = await reviewPart(second, instructions, ask, fenceKey, splits - 1);
    return after.status === "failed" ? after : joined(before, after);
  }
  return typeof answer === "string" ? failed(answer) : gateReply(unit, instructions, answer);
}

const failed = (category: Failed["category"]): Failed => ({ status: "failed", category });

/** The better of two answers, the second asked for only when the first leaves something to be desired. */
async function askTwice(
  prompt: ReviewPrompt,
  language: "zh" | "en",
  ask: AskModel,
): Promise<ReadReply | "cut" | Failed["category"]> {
  const first = readAnswer(await ask(prompt));
  if (first === "cut" || first === "refused") return first;
  const complaints = complaintsAbout(first, language);
  if (complaints.length === 0) return first;
  const second = readAnswer(await ask(askAgain(prompt, complaints)));
  // Whatever came of asking again, what the first answer said still stands.
  if (typeof second === "string" && typeof first !== "string") return first;
  return second;
}

function readAnswer(answer: Awaited<ReturnType<AskModel>>): ReadReply | "cut" | "refused" | "empty" | "format" {
  if (answer.finish === "length") return "cut";
  if (answer.finish === "refused") return "refused";
  if (answer.text.trim() === "") return "empty";
  const reply = readReply(answer.text);
  if (reply) return reply.cut ? "cut" : reply;
  return refusal.test(answer.text) ? "refused" : "format";
}

/** Some models decline in prose. Asking them again would only be paid twice. */
const refusal =
  /^\W*(?:(?:i['’]?m|i am) (?:sorry|unable|not able)|sorry\b|i (?:can(?:no|['’])t|won['’]t|must decline)|(?:很)?(?:抱歉|对不起)|我(?:无法|不能))/i;

function complaintsAbout(reply: ReadReply | "empty" | "format", language: "zh" | "en"): string[] {
  if (reply === "empty") return ["The answer was empty."];
  if (reply === "format") return ['The answer was not a JSON object with the lists "issues" and "verdicts".'];
  const wrong = reply.issues.filter((issue) => !isInLanguage(writtenText(issue), language)).length;
  const wanted = { zh: "Chinese (简体中文)", en: "English" }[language];
  return [...reply.complaints, ...(wrong > 0 ? [`${wrong} of the issues are not written in ${wanted}.`] : [])];
}

function joined(a: Reviewed, b: Reviewed): Reviewed {
  const dropped = new Map(Object.entries(a.dropped));
  for (const [reason, count] of Object.entries(b.dropped)) dropped.set(reason, (dropped.get(reason) ?? 0) + count);
  return {
    status: "reviewed",
    findings: [...a.findings, ...b.findings],
    verdicts: [...a.verdicts, ...b.verdicts],
    dropped: Object.fromEntries([...dropped].sort(([x], [y]) => (x < y ? -1 : 1))),
  };
}
