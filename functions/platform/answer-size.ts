/** A function's answer ends at 6 MB; what one item can hold must fit into the rest. */
const bytesMax = 4 * 1024 * 1024;

/**
 * The first items of a page that fit into one answer, at least one. Lists of long texts end a page early instead of failing: their
 * total tells the reader that there is more behind `skip`.
 */
export function fitting<T>(items: readonly T[]): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return bytes > bytesMax && index > 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
