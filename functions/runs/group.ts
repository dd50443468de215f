import * as z from "zod";

/** Some items that one member of a group has been given to deliver. */
const Range = z.object({
  from: z.number().int(),
  /** The first offset behind it. */
  to: z.number().int(),
  /** The stream that delivers them. */
  claimant: z.string(),
  /** Milliseconds since 1970; from then on anybody may take them over. */
  until: z.number(),
});
export type Range = z.infer<typeof Range>;

/**
 * How far a group of readers is that share the items of a run. Everything before the first range, or before `next` without any, has been
 * delivered for good.
 */
export const Group = z.object({
  /** The offset from which nothing has been given to anybody. */
  next: z.number().int().min(0),
  /** One at most for each member. */
  ranges: z.array(Range),
});
export type Group = z.infer<typeof Group>;

/** Small enough that no member is far behind the others, large enough that writes do not limit a group. */
const rangeItemsMax = 32;
/** Bounds the record: 200 members are 20 KB. */
const rangesMax = 200;

/**
 * Gives a member something to deliver: first what another one has left undone, then up to half of what is new, so that others find some too.
 * @param claim of items from `first`, the oldest kept, to before `head`
 * @returns no range when there is nothing to do now
 */
export function claimRange(
  { next, ranges }: Group,
  claim: { claimant: string; first: number; head: number; now: number; until: number },
): { group: Group; range: Range | null } {
  const { claimant, first, head, now, until } = claim;
  // Retention has the last word: what it has taken nobody can deliver.
  const kept = ranges.map((one) => ({ ...one, from: Math.max(one.from, first) })).filter(({ from, to }) => from < to);
  const start = Math.max(next, first);
  const left = kept.findIndex((one) => one.until <= now);
  if (left >= 0) {
    const range = { ...(kept[left] as Range), claimant, until };
    return { group: { next: start, ranges: kept.with(left, range) }, range };
  }
  if (start >= head || kept.length >= rangesMax) return { group: { next: start, ranges: kept }, range: null };
  const range = { from: start, to: start + Math.min(rangeItemsMax, Math.ceil((head - start) / 2)), claimant, until };
  return { group: { next: range.to, ranges: [...kept, range] }, range };
}

/** The member has delivered all of its range. Without effect when somebody else has taken it over. */
export const finishRange = ({ next, ranges }: Group, claimant: string): Group => ({
  next,
  ranges: ranges.filter((range) => range.claimant !== claimant),
});

/** The member goes on from an offset, until later. Without effect when somebody else has taken its range over. */
export const extendRange = ({ next, ranges }: Group, claimant: string, from: number, until: number): Group => ({
  next,
  ranges: ranges.map((range) => (range.claimant === claimant ? { ...range, from, until } : range)),
});

/** Everything up to the head has been delivered. */
export const isDelivered = ({ next, ranges }: Group, head: number): boolean => next >= head && ranges.length === 0;
