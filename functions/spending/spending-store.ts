import { DeleteCommand, paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import type { ModelUsage } from "../llm/model.ts";
import type { Grants } from "../platform/contract.ts";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { failedConditions, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import { whileTaskRuns } from "../scans/task-store.ts";
import type { Cap, Level } from "./caps.ts";
import { believable, type Cost, costOf, tokensOf } from "./cost.ts";
import { type Call, isBlind, levelsOf, monthOf, type Reservation, roomUnder } from "./reservation.ts";
import { Committed, ModelSpending, nothingCommitted, type Spending } from "./spending.ts";

/** What a function needs that makes calls of models. */
export const spendingGrants = { writes: ["spending"], checks: ["task"] } as const satisfies Grants;

/** A call that was never settled counts for good; its item only tells which one it was. */
const reservationDays = 30;

/**
 * Sets the worst case of a call aside, at every level in one transaction: either it fits under all caps or nothing is written. So any
 * number of calls at the same time stays under every cap, and none begins once its scan was cancelled.
 * @throws SluiceError budget_exhausted naming the level, budget_needs_token_cap, task_superseded. Any other error leaves it open whether
 *   something is set aside; then it stays so, and counts.
 */
export async function reserve(call: Call, at: Date): Promise<Reservation> {
  const { caps, ...rest } = call;
  const reservation: Reservation = { ...rest, id: uuid({ msecs: at.getTime() }), month: monthOf(at) };
  const levels = levelsOf(call);
  for (const level of levels) refuseHopeless(level, caps[level], call);
  const items = [
    ...levels.map((level) => committing(reservation, level, caps[level])),
    putting(reservation, at),
    ...(call.scan ? [whileTaskRuns(call.scan.taskId, call.scan.attempt)] : []),
  ];
  await sendUntilNoConflict(new TransactWriteCommand({ TransactItems: items })).catch((error) => {
    const failed = failedConditions(error);
    if (!failed) throw error;
    // A cancelled scan is told so, whether or not its budget is at an end as well.
    if (failed.includes(levels.length + 1)) throw new SluiceError("task_superseded");
    throw new SluiceError("budget_exhausted", { level: levels[failed[0] as number] as Level });
  });
  return reservation;
}

/**
 * Books what a call has really cost in place of what was set aside for it. Only the first settlement of a reservation counts, so it may be
 * repeated after any error.
 * @param told as the provider counted it, above the worst case too; null when nobody knows, which books the worst case. A call that
 *   certainly did no work has used nothing.
 */
export async function settle(reservation: Reservation, told: ModelUsage | null): Promise<void> {
  const { worst, price } = reservation;
  const usage = believable(told);
  const real = usage ? costOf(usage, price) : worst;
  const change = {
    tokens: tokensOf(real) - tokensOf(worst),
    micros: (real.micros ?? 0) - (worst.micros ?? 0),
  };
  const items = [
    removing(reservation),
    ...levelsOf(reservation).map((level) => ({ Update: additionTo(reservation, level, change) })),
    ...reportedLevels(reservation).map((level) => counting(reservation, level, real, usage === null)),
  ];
  await sendUntilNoConflict(new TransactWriteCommand({ TransactItems: items })).catch((error) => {
    if (!failedConditions(error)) throw error; // settled before
  });
}

/** What a scan has spent on models. */
export const scanSpending = (taskId: string): Promise<Spending> => readSpending(keys.scanSpending(taskId));

/** What scans of a project have spent on models since it was made; it is not told apart by model. */
export const projectSpending = (projectId: string): Promise<Spending> => readSpending(keys.projectSpending(projectId));

/** What a user has spent on models in a month, "2026-11". */
export const monthSpending = (userId: string, month: string): Promise<Spending> =>
  readSpending(keys.monthSpending(userId, month));

/**
 * Forgets the figures of a scan or project that is deleted. A call that is still under way finds its reservation gone and books nothing
 * any more, so the user's month keeps its worst case.
 */
export async function forgetSpending(total: Key): Promise<void> {
  await deletePartition(total);
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: total }));
}

async function readSpending(total: Key): Promise<Spending> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :total)",
    ExpressionAttributeValues: { ":pk": total.pk, ":total": total.sk },
    ConsistentRead: true,
  };
  let committed = nothingCommitted;
  const models: ModelSpending[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const item of Items)
      if (item.sk === total.sk) committed = Committed.parse(item);
      else models.push(ModelSpending.parse(item));
  return { committed, models };
}

type Key = ReturnType<typeof keys.scanSpending>;

const totalOf = ({ scan, userId, month }: Reservation, level: Level): Key =>
  level === "month" || !scan
    ? keys.monthSpending(userId, month)
    : level === "scan"
      ? keys.scanSpending(scan.taskId)
      : keys.projectSpending(scan.projectId);

/**
 * Levels with figures for each model. A project has none: everybody who may scan it brings models of any name, and nobody should be able
 * to fill its partition with them.
 */
const reportedLevels = (reservation: Reservation) => levelsOf(reservation).filter((level) => level !== "project");

/** What no counter has to be asked for. */
function refuseHopeless(level: Level, cap: Cap, { worst, model }: Call): void {
  if (isBlind(cap, worst)) throw new SluiceError("budget_needs_token_cap", { level, model });
  const { tokens, micros } = roomUnder(cap, worst);
  if ((tokens ?? 0) < 0 || (micros ?? 0) < 0) throw new SluiceError("budget_exhausted", { level });
}

/**
 * Adds the worst case to a level that has room for it. The condition compares with the cap of this moment, so a cap can be changed at
 * any time.
 */
function committing(reservation: Reservation, level: Level, cap: Cap) {
  const { worst } = reservation;
  const room = roomUnder(cap, worst);
  const conditions: string[] = [];
  const values: Record<string, number> = {};
  for (const [attribute, limit] of [
    ["committedTokens", room.tokens],
    ["committedMicros", room.micros],
  ] as const) {
    if (limit === null) continue;
    conditions.push(`(attribute_not_exists(${attribute}) OR ${attribute} <= :${attribute})`);
    values[`:${attribute}`] = limit;
  }
  const addition = additionTo(reservation, level, { tokens: tokensOf(worst), micros: worst.micros ?? 0 });
  return {
    Update: {
      ...addition,
      ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
      ExpressionAttributeValues: { ...addition.ExpressionAttributeValues, ...values },
    },
  };
}

const additionTo = (reservation: Reservation, level: Level, change: { tokens: number; micros: number }) => ({
  TableName: environment().TABLE_NAME,
  Key: totalOf(reservation, level),
  UpdateExpression: "SET v = :v ADD committedTokens :tokens, committedMicros :micros",
  ExpressionAttributeValues: { ":v": 1, ":tokens": change.tokens, ":micros": change.micros },
});

const reservationKey = (reservation: Reservation) =>
  keys.reservation(totalOf(reservation, levelsOf(reservation)[0] as Level), reservation.id);

const putting = (reservation: Reservation, at: Date) => ({
  Put: {
    TableName: environment().TABLE_NAME,
    Item: {
      ...reservationKey(reservation),
      v: 1,
      ...reservation,
      reservedAt: at.toISOString(),
      expiresAt: Math.floor(at.getTime() / 1000) + reservationDays * 86_400,
    },
    ConditionExpression: "attribute_not_exists(pk)",
  },
});

/** The reservation's item is what makes a settlement happen once. */
const removing = (reservation: Reservation) => ({
  Delete: {
    TableName: environment().TABLE_NAME,
    Key: reservationKey(reservation),
    ConditionExpression: "attribute_exists(pk)",
  },
});

function counting(reservation: Reservation, level: Level, real: Cost, unmetered: boolean) {
  const { provider, model } = reservation;
  return {
    Update: {
      TableName: environment().TABLE_NAME,
      Key: keys.modelSpending(totalOf(reservation, level), provider, model),
      UpdateExpression:
        "SET v = :v, provider = :provider, #model = :model ADD calls :one, inputTokens :input, outputTokens :output, micros :micros, unpricedCalls :unpriced, unmeteredCalls :unmetered",
      ExpressionAttributeNames: { "#model": "model" },
      ExpressionAttributeValues: {
        ":v": 1,
        ":provider": provider,
        ":model": model,
        ":one": 1,
        ":input": real.inputTokens,
        ":output": real.outputTokens,
        ":micros": real.micros ?? 0,
        ":unpriced": real.micros === null ? 1 : 0,
        ":unmetered": unmetered ? 1 : 0,
      },
    },
  };
}
