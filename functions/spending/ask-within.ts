import type { UserConfig } from "../config/user-config.ts";
import type { ReviewPrompt } from "../engine/review/review.ts";
import { askModel } from "../llm/ask-model.ts";
import { type ModelAnswer, ModelFailure, type ModelSettings } from "../llm/model.ts";
import { capsFor } from "./caps.ts";
import { priceOf } from "./cost.ts";
import { paidCall } from "./paid-call.ts";

export interface AskWithinProps {
  readonly userId: string;
  readonly config: UserConfig | null;
  readonly settings: ModelSettings;
  /** When all calls have to be over, on the clock of `performance.now()`. */
  readonly until: number;
  readonly now: () => Date;
}

/**
 * Calls for somebody who waits for the answer: they share a time, belong to no scan and are paid by the user's month.
 * @returns what makes one call; it throws ModelFailure, "timeout" also when no time is left, and SluiceError budget_*
 */
export function askWithin({ userId, config, settings, until, now }: AskWithinProps) {
  const budget = { userId, scan: null, price: priceOf(settings, config), caps: capsFor(config, null, null) };
  return async (prompt: ReviewPrompt): Promise<ModelAnswer> => {
    const timeoutMs = Math.min(settings.timeoutMs, Math.floor(until - performance.now()));
    if (timeoutMs <= 0) throw new ModelFailure("timeout");
    return paidCall(budget, { ...settings, timeoutMs }, prompt, askModel, now);
  };
}
