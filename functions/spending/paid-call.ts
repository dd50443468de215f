import { type ModelAnswer, ModelFailure, type ModelRequest, type ModelSettings } from "../llm/model.ts";
import { errorFields, log } from "../platform/log.ts";
import { worstCase } from "./cost.ts";
import type { Call, Reservation } from "./reservation.ts";
import { reserve, settle } from "./spending-store.ts";

/** Who pays for a call and what limits it. */
export type Budget = Pick<Call, "userId" | "scan" | "price" | "caps">;

const noUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * Makes one call of a model within a budget, see `paid`.
 * @param ask makes exactly one call, without retries: each of those is a call of its own
 */
export async function paidCall(
  budget: Budget,
  settings: ModelSettings,
  request: ModelRequest,
  ask: (settings: ModelSettings, request: ModelRequest) => Promise<ModelAnswer>,
  now: () => Date,
): Promise<ModelAnswer> {
  const { provider, model, maxTokens } = settings;
  const worst = worstCase(request, maxTokens, budget.price);
  return paid({ ...budget, provider, model, worst }, () => ask(settings, request), now);
}

/**
 * Sets the worst case of a call aside, makes it, and books what it has really cost. A call that failed is booked at its worst case if the
 * provider may charge for it.
 * @throws SluiceError budget_exhausted (RoomTaken when calls under way may give room back), budget_needs_token_cap, task_superseded: the
 *   model was not asked then; what `ask` throws passes
 */
export async function paid<T extends Pick<ModelAnswer, "usage">>(
  call: Call,
  ask: () => Promise<T>,
  now: () => Date,
): Promise<T> {
  const reservation = await reserve(call, now());
  const answer = await ask().catch(async (error) => {
    const charged = !(error instanceof ModelFailure) || error.maybeCharged;
    await book(reservation, charged ? null : noUsage);
    throw error;
  });
  await book(reservation, answer.usage);
  return answer;
}

/** What was answered is paid for and must not be lost with the booking; without one the worst case stays set aside. */
async function book(reservation: Reservation, usage: ModelAnswer["usage"]): Promise<void> {
  await settle(reservation, usage).catch((error) => {
    const task = reservation.scan?.taskId;
    log("error", "call not settled", { user: reservation.userId, ...(task && { task }), ...errorFields(error) });
  });
}
