/** How far a file is analysed, by its size and by what it looks like. */
export type Depth = "full" | "secrets";

const fullBytesMax = 1_048_576;
const lineLengthMax = 5_000;
const meanLineMax = 300;

/** @returns the depth, and the stable reason why it is not full */
export function depthOf(text: string, bytes: number): { depth: Depth; reason: string | null } {
  if (bytes > fullBytesMax) return { depth: "secrets", reason: "size_limit" };
  if (/@generated\b|DO NOT EDIT\b/.test(text.slice(0, 2_000)) && /generated/i.test(text.slice(0, 2_000)))
    return { depth: "secrets", reason: "generated" };
  if (isMinified(text)) return { depth: "secrets", reason: "minified" };
  return { depth: "full", reason: null };
}

function isMinified(text: string): boolean {
  let lines = 0;
  let start = 0;
  for (let end = text.indexOf("\n"); ; end = text.indexOf("\n", start)) {
    const stop = end < 0 ? text.length : end;
    if (stop - start > lineLengthMax) return true;
    lines++;
    if (end < 0) break;
    start = end + 1;
  }
  // A short file with one long line is nothing unusual.
  return text.length > 2_000 && text.length / lines > meanLineMax;
}
