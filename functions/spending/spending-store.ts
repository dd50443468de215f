import { randomUUID } from "node:crypto";
import type { ModelUsage } from "../llm/model.ts";
import type { Grants } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { failedConditions } from "../platform/table.ts";
import { placeOf, reserving, settling } from "./booking.ts";
import type { Cap, Level } from "./caps.ts";
import { believable, costOf, tokensOf } from "./cost.ts";
import { GroupCommit } from "./group-commit.ts";
import { type Call, isBlind, levelsOf, monthOf, type Reservation } from "./reservation.ts";

/** What a function needs that makes calls of models. */
export const spendingGrants = { writes: ["spending"], checks: ["task"] } as const satisfies Grants;

/**
 * The worst case of a call would fit under the cap, but not beside what is committed. Calls that are under way take more room than they will
 * have cost, so there may be some again when they are settled.
 */
export class RoomTaken extends SluiceError {}

/** One for the life of the function. */
const ownCommits = new GroupCommit();

/**
 * Sets the worst case of a call aside, at every level in one transaction: either it fits under all caps or nothing is written. So any
 * number of calls at the same time stays under every cap, and none begins once its scan was cancelled.
 * @throws SluiceError budget_exhausted naming the level, budget_needs_token_cap, task_superseded. Any other error leaves it open whether
 *   something is set aside; then it stays so, and counts.
 */
export async function reserve(call: Call, at: Date, commits = ownCommits): Promise<Reservation> {
  const { caps, ...rest } = call;
  const reservation: Reservation = { ...rest, id: randomUUID(), month: monthOf(at) };
  const levels = levelsOf(call);
  for (const level of levels) refuseHopeless(level, caps[level], call);
  const booking = reserving(reservation, caps, at);
  await commits.book(booking).catch((error) => {
    const failed = failedConditions(error);
    if (!failed) throw error;
    // A cancelled scan is told so, whether or not its budget is at an end as well.
    if (failed.includes(placeOf.task(booking))) throw new SluiceError("task_superseded");
    // Nobody else makes this id: an earlier try has reserved it, and only its answer was lost.
    if (failed.includes(placeOf.mark)) return;
    const level = levels.find((_, index) => failed.includes(placeOf.addition(index))) as Level;
    throw new RoomTaken("budget_exhausted", { level });
  });
  return reservation;
}

/**
 * Books what a call has really cost in place of what was set aside for it. Only the first settlement of a reservation counts, so it may be
 * repeated after any error.
 * @param told as the provider counted it, above the worst case too; null when nobody knows, which books the worst case. A call that
 *   certainly did no work has used nothing.
 */
export async function settle(reservation: Reservation, told: ModelUsage | null, commits = ownCommits): Promise<void> {
  const usage = believable(told);
  const real = usage ? costOf(usage, reservation.price) : reservation.worst;
  await commits.book(settling(reservation, real, usage === null)).catch((error) => {
    if (!failedConditions(error)) throw error; // settled before
  });
}

/** What no counter has to be asked for. */
function refuseHopeless(level: Level, cap: Cap, { worst, model }: Call): void {
  if (isBlind(cap, worst)) throw new SluiceError("budget_needs_token_cap", { level, model });
  const over = (limit: number | null, most: number | null) => limit !== null && most !== null && most > limit;
  if (over(cap.tokens, tokensOf(worst)) || over(cap.micros, worst.micros))
    throw new SluiceError("budget_exhausted", { level });
}
