import { type ModelAnswer, ModelFailure, type ModelRequest, type ModelSettings } from "../llm/model.ts";
import { errorFields, log } from "../platform/log.ts";
import { worstCase } from "./cost.ts";
import type { Call, Reservation } from "./reservation.ts";
import { RoomTaken, reserve, settle } from "./spending-store.ts";

/** Who pays for a call and what limits it. */
export type Budget = Pick<Call, "userId" | "scan" | "price" | "caps">;

/** How long a call of a scan waits for calls under way to give room back, a few seconds each time, before its budget counts as used up. */
const waitsMs = [500, 1000, 2000, 4000];

const noUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * Makes one call of a model within a budget: sets its worst case aside, asks, and books what it has really cost. A call that failed is
 * booked at its worst case if the provider may charge for it. A call of a scan waits up to about ten seconds for room that other calls have
 * taken and may give back.
 * @param ask makes exactly one call, without retries: each of those is a call of its own
 * @throws SluiceError budget_exhausted, budget_needs_token_cap, task_superseded: the model was not asked then; what `ask` throws passes
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
  const reservation = await reserveWithPatience({ ...budget, provider, model, worst }, now);
  const answer = await ask(settings, request).catch(async (error) => {
    const charged = !(error instanceof ModelFailure) || error.maybeCharged;
    await book(reservation, charged ? null : noUsage);
    throw error;
  });
  await book(reservation, answer.usage);
  return answer;
}

/** A request that somebody waits for is refused at once. A scan makes no further call once its budget is used up, so it makes sure of that. */
async function reserveWithPatience(call: Call, now: () => Date): Promise<Reservation> {
  for (const wait of call.scan ? waitsMs : []) {
    try {
      return await reserve(call, now());
    } catch (error) {
      if (!(error instanceof RoomTaken)) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
    }
  }
  return reserve(call, now());
}

/** What was answered is paid for and must not be lost with the booking; without one the worst case stays set aside. */
async function book(reservation: Reservation, usage: ModelAnswer["usage"]): Promise<void> {
  await settle(reservation, usage).catch((error) => {
    const task = reservation.scan?.taskId;
    log("error", "call not settled", { user: reservation.userId, ...(task && { task }), ...errorFields(error) });
  });
}
