import { environment } from "../platform/environment.ts";
import { keys } from "../platform/table.ts";
import { whileTaskRuns } from "../scans/while-task-runs.ts";
import type { Cap, Caps, Level } from "./caps.ts";
import { type Cost, tokensOf } from "./cost.ts";
import { levelsOf, type Reservation } from "./reservation.ts";

export type SpendingKey = ReturnType<typeof keys.scanSpending>;

/** A change of what is committed at a level. */
interface Addition {
  readonly key: SpendingKey;
  readonly tokens: number;
  readonly micros: number;
  /** What the sum must not pass. */
  readonly cap: Cap;
}

/** A change of the figures of a model. */
interface Count {
  readonly key: SpendingKey;
  readonly model: { readonly provider: string; readonly model: string };
  readonly figures: Readonly<Record<string, number>>;
}

/** One change of the ledger: a call is reserved or settled. */
export interface Booking {
  readonly reservation: Reservation;
  /** Puts the reservation or takes it away, which can be done once. */
  readonly mark: object;
  readonly additions: readonly Addition[];
  readonly counts: readonly Count[];
  /** True for what must not happen once the scan has ended. */
  readonly whileRunning: boolean;
}

/** A call that was never settled counts for good; its item only tells which one it was. */
const reservationDays = 30;

/** Sets a call's worst case aside at every level. */
export function reserving(reservation: Reservation, caps: Caps, at: Date): Booking {
  const { worst } = reservation;
  const Item = {
    ...reservationKey(reservation),
    v: 1,
    ...reservation,
    reservedAt: at.toISOString(),
    expiresAt: Math.floor(at.getTime() / 1000) + reservationDays * 86_400,
  };
  return {
    reservation,
    mark: { Put: { TableName: environment().TABLE_NAME, Item, ConditionExpression: "attribute_not_exists(pk)" } },
    additions: levelsOf(reservation).map((level) => ({
      key: totalOf(reservation, level),
      tokens: tokensOf(worst),
      micros: worst.micros ?? 0,
      cap: worst.micros === null ? { tokens: caps[level].tokens, micros: null } : caps[level],
    })),
    counts: [],
    whileRunning: true,
  };
}

/** Puts the real cost in place of the worst case. Money that comes back, or was spent above it, meets no cap. */
export function settling(reservation: Reservation, real: Cost, unmetered: boolean): Booking {
  const { worst, provider, model } = reservation;
  const Key = reservationKey(reservation);
  return {
    reservation,
    mark: { Delete: { TableName: environment().TABLE_NAME, Key, ConditionExpression: "attribute_exists(pk)" } },
    additions: levelsOf(reservation).map((level) => ({
      key: totalOf(reservation, level),
      tokens: tokensOf(real) - tokensOf(worst),
      micros: (real.micros ?? 0) - (worst.micros ?? 0),
      cap: { tokens: null, micros: null },
    })),
    counts: countedLevels(reservation).map((level) => ({
      key: keys.modelSpending(totalOf(reservation, level), provider, model),
      model: { provider, model },
      figures: {
        calls: 1,
        inputTokens: real.inputTokens,
        outputTokens: real.outputTokens,
        micros: real.micros ?? 0,
        unpricedCalls: real.micros === null ? 1 : 0,
        unmeteredCalls: unmetered ? 1 : 0,
      },
    })),
    whileRunning: false,
  };
}

/** Where the parts of a single booking stand in its transaction. */
export const placeOf = {
  mark: 0,
  addition: (index: number) => index + 1,
  /** Of a reservation, which counts nothing. */
  task: ({ additions }: Booking) => additions.length + 1,
};

/**
 * The transaction that makes bookings of one scan, or of none, together. An item can stand in it once, so changes of the same counter
 * become one, which is admitted if their sum fits under the lowest of their caps.
 */
export function transactItems(bookings: readonly Booking[]): object[] {
  const additions = Map.groupBy(
    bookings.flatMap((booking) => booking.additions),
    ({ key }) => key.pk + key.sk,
  );
  const counts = Map.groupBy(
    bookings.flatMap((booking) => booking.counts),
    ({ key }) => key.pk + key.sk,
  );
  const scan = bookings.find(({ whileRunning }) => whileRunning)?.reservation.scan;
  return [
    ...bookings.map(({ mark }) => mark),
    ...[...additions.values()].map((same) => ({ Update: adding(same as [Addition]) })),
    ...[...counts.values()].map((same) => ({ Update: counting(same as [Count]) })),
    ...(scan ? [whileTaskRuns(scan.taskId, scan.attempt)] : []),
  ];
}

type AtLeastOne<T> = readonly [T, ...T[]];

/** The condition compares with the caps of this moment, so that a cap can be changed at any time. */
function adding(same: AtLeastOne<Addition>) {
  const tokens = sum(same.map((one) => one.tokens));
  const micros = sum(same.map((one) => one.micros));
  const conditions: string[] = [];
  const room: Record<string, number> = {};
  for (const [attribute, cap, change] of [
    ["committedTokens", lowest(same.map((one) => one.cap.tokens)), tokens],
    ["committedMicros", lowest(same.map((one) => one.cap.micros)), micros],
  ] as const) {
    if (cap === null) continue;
    conditions.push(`(attribute_not_exists(${attribute}) OR ${attribute} <= :${attribute})`);
    room[`:${attribute}`] = cap - change;
  }
  return {
    TableName: environment().TABLE_NAME,
    Key: same[0].key,
    UpdateExpression: "SET v = :v ADD committedTokens :tokens, committedMicros :micros",
    ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
    ExpressionAttributeValues: { ":v": 1, ":tokens": tokens, ":micros": micros, ...room },
  };
}

function counting(same: AtLeastOne<Count>) {
  const { key, model, figures } = same[0];
  const names = Object.keys(figures);
  return {
    TableName: environment().TABLE_NAME,
    Key: key,
    UpdateExpression: `SET v = :v, provider = :provider, #model = :model ADD ${names.map((name) => `${name} :${name}`).join(", ")}`,
    ExpressionAttributeNames: { "#model": "model" },
    ExpressionAttributeValues: {
      ":v": 1,
      ":provider": model.provider,
      ":model": model.model,
      ...Object.fromEntries(names.map((name) => [`:${name}`, sum(same.map((one) => one.figures[name] ?? 0))])),
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const lowest = (caps: readonly (number | null)[]): number | null =>
  caps.reduce((low, cap) => (low === null || cap === null ? (low ?? cap) : Math.min(low, cap)), null);

const totalOf = ({ scan, userId, month }: Reservation, level: Level): SpendingKey =>
  level === "month" || !scan
    ? keys.monthSpending(userId, month)
    : level === "scan"
      ? keys.scanSpending(scan.taskId)
      : keys.projectSpending(scan.projectId);

const reservationKey = (reservation: Reservation) =>
  keys.reservation(totalOf(reservation, levelsOf(reservation)[0] as Level), reservation.id);

/**
 * Levels with figures for each model. A project has none: everybody who may scan it brings models of any name, and nobody should be able
 * to fill its partition with them.
 */
const countedLevels = (reservation: Reservation) => levelsOf(reservation).filter((level) => level !== "project");
