import type { UserConfig } from "../config/user-config.ts";
import type { ReviewPrompt } from "../engine/review/review.ts";
import { askModel } from "../llm/ask-model.ts";
import type { ModelAnswer, ModelRequest, ModelSettings } from "../llm/model.ts";
import { alternativeModelOf, modelOf } from "../llm/user-model.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Project } from "../projects/project.ts";
import { capsFor } from "../spending/caps.ts";
import { priceOf } from "../spending/cost.ts";
import { type Budget, paidCall } from "../spending/paid-call.ts";
import type { ReviewModel } from "./instructions.ts";
import { ReviewStopped } from "./review-stopped.ts";
import { actorOf, type Task } from "./task.ts";

/**
 * Makes the calls of a scan with the key and on the account of who started it. Key, prices and caps are those of this moment, so that whoever
 * lowers a cap need not wait for the next scan; the model is the one that the scan began with.
 */
export class ScanPurse {
  readonly #settings: ModelSettings | ReviewStopped;
  readonly #budget: Budget;
  readonly #now: () => Date;

  private constructor(settings: ModelSettings | ReviewStopped, budget: Budget, now: () => Date) {
    this.#settings = settings;
    this.#budget = budget;
    this.#now = now;
  }

  /** @param options.alternative whether `model` is the one that looks at what the scan's model refuses */
  static async open(
    task: Task,
    model: ReviewModel,
    {
      config,
      project,
      now,
      alternative = false,
    }: { config: UserConfig | null; project: Project | null; now: () => Date; alternative?: boolean },
  ): Promise<ScanPurse> {
    const userId = actorOf(task);
    const budget: Budget = {
      userId,
      scan: { taskId: task.id, attempt: task.attempt, projectId: task.projectId },
      // The prices in the settings are those of the model in the settings.
      price: priceOf(model, alternative ? null : config),
      caps: capsFor(config, project, task.config),
    };
    const current = () => (alternative ? alternativeModelOf : modelOf)(config, userId);
    return new ScanPurse(await settingsFor(model, current), budget, now);
  }

  /** The longest that a call takes. */
  get callMs(): number {
    return this.#settings instanceof ReviewStopped ? 0 : this.#settings.timeoutMs;
  }

  /**
   * Makes one call, reserved before and settled after.
   * @param answered called between the two, when there is an answer
   * @throws ModelFailure; ReviewStopped when there is no model to ask any more; SluiceError budget_exhausted, budget_needs_token_cap,
   *   task_superseded
   */
  async call(prompt: ReviewPrompt, answered: () => void): Promise<ModelAnswer> {
    if (this.#settings instanceof ReviewStopped) throw this.#settings;
    const ask = async (settings: ModelSettings, request: ModelRequest) => {
      const answer = await askModel(settings, request);
      answered();
      return answer;
    };
    return paidCall(this.#budget, this.#settings, prompt, ask, this.#now);
  }
}

/** No call may take longer, whatever its user allows: it has to end within the function that waits for it. */
const callMsMax = 300_000;

async function settingsFor(
  wanted: ReviewModel,
  current: () => Promise<ModelSettings | null>,
): Promise<ModelSettings | ReviewStopped> {
  try {
    const now = await current();
    // The key belongs to the address that the user has set now; the scan's may be another one.
    if (now?.provider !== wanted.provider || now.baseUrl !== wanted.baseUrl) return new ReviewStopped("model_changed");
    return { ...now, ...wanted, timeoutMs: Math.min(now.timeoutMs, callMsMax) };
  } catch (error) {
    if (isSluiceError(error)) return new ReviewStopped("model_unusable");
    throw error;
  }
}
