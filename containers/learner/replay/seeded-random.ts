/**
 * Numbers from 0 to below 1 that depend on nothing but the seed: xoshiro128**, its state filled by splitmix32. 53 bits each, so that no item
 * of a large table is out of reach.
 * https://prng.di.unimi.it/
 */
export function seededRandom(seed: number): () => number {
  const state = Uint32Array.from({ length: 4 }, splitmix32(seed));
  const next = (): number => {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    state[2] = c ^ a;
    state[3] = d ^ b;
    state[1] = b ^ state[2];
    state[0] = a ^ state[3];
    state[2] ^= b << 9;
    state[3] = rotated(state[3], 11);
    return result;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

const rotated = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));

function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}
