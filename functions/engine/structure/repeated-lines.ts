import type { LineIndex } from "../inventory/line-index.ts";
import type { CodeLines } from "./code-lines.ts";

/** Lines that stand in the file a second time. Numbers from 1, the last lines included. */
export interface Repetition {
  first: number;
  last: number;
  /** Where the lines stand for the first time. */
  of: { first: number; last: number };
  /** Lines of code in it. */
  count: number;
}

/**
 * Finds runs of at least so many lines of code that are equal but for layout and comments, each once and as long as it is. Lines without a
 * letter or digit do not count.
 * @param counts whether repetitions that begin at a line matter
 */
export function repeatedLines(
  lines: LineIndex,
  code: CodeLines,
  least: number,
  counts: (line: number) => boolean,
): Repetition[] {
  const numbers: number[] = [];
  const ids: number[] = [];
  const known = new Map<string, number>();
  for (let line = 1; line <= lines.count; line++) {
    if (!code.isCode(line)) continue;
    const bare = lines.line(line).replace(/\s+/g, "");
    if (!/[\p{L}\p{N}]/u.test(bare)) continue;
    const id = known.get(bare) ?? known.size;
    known.set(bare, id);
    numbers.push(line);
    ids.push(id);
  }
  const times = new Uint32Array(known.size);
  for (const id of ids) times[id] = (times[id] as number) + 1;
  const isOnce = (index: number) => times[ids[index] as number] === 1;
  const found: Repetition[] = [];
  const first = new Map<string, number>();
  for (let at = 0; at + least <= ids.length; at++) {
    // Most lines stand in a file once, so most stretches need not be compared.
    if (isOnce(at) || isOnce(at + least - 1)) continue;
    const key = ids.slice(at, at + least).join();
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, at);
      continue;
    }
    // Lines that repeat themselves at once are a table, not a copy.
    if (earlier + least > at || new Set(ids.slice(at, at + least)).size < least / 2 || !counts(numbers[at] as number))
      continue;
    let count = least;
    while (at + count < ids.length && earlier + count < at && ids[earlier + count] === ids[at + count]) count++;
    const line = (index: number) => numbers[index] as number;
    found.push({
      first: line(at),
      last: line(at + count - 1),
      of: { first: line(earlier), last: line(earlier + count - 1) },
      count,
    });
    at += count - 1;
  }
  return found;
}
