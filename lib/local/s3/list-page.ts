import type { Cursor, Scan } from "./object-index.ts";
import type { Version } from "./version.ts";

/** What a page of a listing is asked for. */
export interface PageProps {
  readonly bucket: string;
  readonly prefix: string;
  /** Empty for none. */
  readonly delimiter: string;
  readonly from: Cursor;
  readonly currentOnly: boolean;
  readonly max: number;
}

/** A page: versions, and groups of keys that are the same up to the delimiter. Together they are at most `max`. */
export interface Page {
  readonly versions: Version[];
  readonly commonPrefixes: string[];
  /** Where the next page begins; null when this is the last one. */
  readonly next: Cursor | null;
  /** What this page ended with: a version, or a group. */
  readonly last: Version | string | null;
}

/** Larger than any sequence: below it is every version of a key. */
const top = Number.MAX_SAFE_INTEGER;

/** Rows read at once; a page has 1,000 entries at most. */
const rowsMax = 1000;

export const atKey = (key: Buffer): Cursor => ({ key, below: top });
export const afterKey = (key: Buffer): Cursor => ({ key, below: 0 });
export const afterVersion = (version: Version): Cursor => ({ key: Buffer.from(version.key), below: version.sequence });
/** Behind every key that begins with a group's prefix. */
export const afterGroup = (prefix: string): Cursor => atKey(rangeEnd(Buffer.from(prefix))!);

/** The first key behind all keys with this prefix; null when there is none, for the empty prefix. UTF-8 has no byte 255. */
export function rangeEnd(prefix: Buffer): Buffer | null {
  if (prefix.length === 0) return null;
  const end = Buffer.from(prefix);
  end[end.length - 1]! += 1;
  return end;
}

/** Lists a page. A group is skipped over in the index, not read: its size does not matter. */
export function listPage(props: PageProps, scan: (scan: Scan) => Version[]): Page {
  const prefix = Buffer.from(props.prefix);
  const to = rangeEnd(prefix);
  const page: Page = { versions: [], commonPrefixes: [], next: null, last: null };
  const rows = (from: Cursor, limit: number) =>
    scan({ bucket: props.bucket, from, to, currentOnly: props.currentOnly, limit });
  let last: Page["last"] = null;
  let from = laterOf(props.from, atKey(prefix));
  for (let left = props.max; left > 0; ) {
    const found = rows(from, Math.min(left, rowsMax));
    const grouped = found.findIndex((version) => groupOf(version.key, props) !== null);
    const plain = grouped < 0 ? found : found.slice(0, grouped);
    page.versions.push(...plain);
    left -= plain.length;
    last = plain.at(-1) ?? last;
    if (plain.length > 0) from = afterVersion(plain.at(-1)!);
    if (grouped >= 0) {
      const group = groupOf(found[grouped]!.key, props)!;
      page.commonPrefixes.push(group);
      left -= 1;
      last = group;
      from = afterGroup(group);
    } else if (found.length < Math.min(left + plain.length, rowsMax)) return { ...page, last };
  }
  const isTruncated = props.max > 0 && rows(from, 1).length > 0;
  return { ...page, last, next: isTruncated ? from : null };
}

function groupOf(key: string, { prefix, delimiter }: PageProps): string | null {
  const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
  return at < 0 ? null : key.slice(0, at + delimiter.length);
}

const laterOf = (a: Cursor, b: Cursor) => (a.key.compare(b.key) >= 0 ? a : b);
