/**
 * At which of `calls` calls a test kills what makes them: a seeded few, so that runs differ and each can be repeated, or all of them.
 * `SLUICE_KILL_POINTS=all` takes all, `SLUICE_KILL_SEED=n` repeats a run; the seed is printed.
 */
export function killPoints(calls: number, few: number): number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  if (process.env.SLUICE_KILL_POINTS === "all") return all;
  const seed = Number(process.env.SLUICE_KILL_SEED ?? Date.now() % 100_000);
  console.log(`kill points: SLUICE_KILL_SEED=${seed}`);
  // One of each stretch, so that a few are spread over the whole.
  const stretch = calls / few;
  const random = randomFrom(seed);
  return Array.from({ length: Math.min(few, calls) }, (_, part) => 1 + Math.floor((part + random()) * stretch));
}

/** mulberry32: small, and the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
