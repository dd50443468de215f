import { formatPrefix } from "../operators.ts";
import type { Value } from "../value.ts";

/** Where a copying function has its target, its source, and the number of bytes. */
export interface Copy {
  to: number;
  from?: number;
  size?: number;
  /** A second factor of the number of bytes. */
  times?: number;
  appends?: boolean;
  /** The bytes of an element, where that is not one. */
  unit?: number;
}

/** The bytes of a wide character, as on all systems but Windows. */
const wide = 4;

const copies: Record<string, Copy> = {
  strcpy: { to: 0, from: 1 },
  stpcpy: { to: 0, from: 1 },
  lstrcpy: { to: 0, from: 1 },
  lstrcpyA: { to: 0, from: 1 },
  strcat: { to: 0, from: 1, appends: true },
  lstrcat: { to: 0, from: 1, appends: true },
  strncpy: { to: 0, from: 1, size: 2 },
  strncat: { to: 0, from: 1, size: 2, appends: true },
  memcpy: { to: 0, from: 1, size: 2 },
  memmove: { to: 0, from: 1, size: 2 },
  memset: { to: 0, size: 2 },
  wcscpy: { to: 0, from: 1 },
  wcscat: { to: 0, from: 1, appends: true },
  wcsncpy: { to: 0, from: 1, size: 2, unit: wide },
  wcsncat: { to: 0, from: 1, size: 2, unit: wide, appends: true },
  wmemcpy: { to: 0, from: 1, size: 2, unit: wide },
  wmemmove: { to: 0, from: 1, size: 2, unit: wide },
  wmemset: { to: 0, size: 2, unit: wide },
  bcopy: { to: 1, from: 0, size: 2 },
  strlcpy: { to: 0, size: 2 },
  snprintf: { to: 0, size: 1 },
  vsnprintf: { to: 0, size: 1 },
  fgets: { to: 0, size: 1 },
  read: { to: 1, size: 2 },
  recv: { to: 1, size: 2 },
  recvfrom: { to: 1, size: 2 },
  SSL_read: { to: 1, size: 2 },
  BIO_read: { to: 1, size: 2 },
  readlink: { to: 1, size: 2 },
  fread: { to: 0, size: 1, times: 2 },
};

/** How a function copies memory, by the name of the C library. */
export const copyOf = (name: string): Copy | null => (Object.hasOwn(copies, name) ? (copies[name] as Copy) : null);

/** The argument whose old content is gone after the call. */
export const overwrittenBy = (name: string): number | null =>
  /^(strn?cpy|stpcpy|strlcpy|sn?printf|vsn?printf|fgets)$/.test(name) ? 0 : null;

const formats: Record<string, { at: number; to?: number }> = {
  printf: { at: 0 },
  fprintf: { at: 1 },
  dprintf: { at: 1 },
  syslog: { at: 1 },
  snprintf: { at: 2 },
  sprintf: { at: 1, to: 0 },
};

const text = (value: Value | undefined): string | null => {
  const [only, ...others] = value?.constants ?? [];
  return others.length === 0 && typeof only === "string" ? only : null;
};

const conversions = /%([-+ #0]{0,9})(\*|\d{1,9})?(?:\.(\*|\d{1,9}))?[hlLqjzt]{0,2}([a-zA-Z%])/g;

export interface Format {
  at: number;
  /** The buffer written without a bound. */
  to?: number;
  /** Not a text that is written out, and nothing to fill in. */
  isBare: boolean;
  /** The bytes it writes at least, without the end. */
  least: number;
  /** The arguments it writes out in full. */
  texts: number[];
}

/** What a formatting function writes. */
export function formatOf(name: string, args: readonly Value[]): Format | null {
  const found = Object.hasOwn(formats, name) ? formats[name] : undefined;
  // Where no descriptor comes first, it is a macro of the project's own, which has the format there.
  if (!found || (name === "dprintf" && text(args[0]) !== null)) return null;
  const format = text(args[found.at]);
  const isBare = args[found.at] !== undefined && args[found.at]?.constants === null && args.length === found.at + 1;
  const to = found.to === undefined ? {} : { to: found.to };
  if (format === null) return { at: found.at, ...to, isBare, least: 0, texts: [] };
  let least = format.replace(conversions, "").length;
  let next = found.at + 1;
  const texts: number[] = [];
  for (const [, , width, precision, verb] of format.matchAll(conversions)) {
    if (verb === "%") {
      least++;
      continue;
    }
    if (width === "*") next++;
    if (precision === "*") next++;
    const known = verb === "s" && precision === undefined ? text(args[next]) : null;
    const wide = width !== undefined && width !== "*" ? Number(width) : 0;
    least += Math.max(known?.length ?? (verb === "s" ? 0 : 1), wide);
    if (verb === "s" && precision === undefined && known === null) texts.push(next);
    next++;
  }
  return { at: found.at, ...to, isBare: false, least, texts };
}

/** What the text that a formatting function writes begins with. */
export function writtenPrefix(name: string, args: readonly Value[]): string | null {
  const found = Object.hasOwn(formats, name) ? formats[name] : undefined;
  const format = found && (found.to !== undefined || name === "snprintf") ? text(args[found.at]) : null;
  return found && format !== null ? formatPrefix(format, args.slice(found.at + 1)) : null;
}

const scans: Record<string, number> = { scanf: 0, fscanf: 1, sscanf: 1 };

/** The buffers that a scanning function fills, with the most characters it reads; null for no bound. */
export function scannedBuffers(name: string, args: readonly Value[]): { at: number; width: number | null }[] {
  const at = Object.hasOwn(scans, name) ? scans[name] : undefined;
  const format = at === undefined ? null : text(args[at]);
  if (at === undefined || format === null) return [];
  const found: { at: number; width: number | null }[] = [];
  let next = at + 1;
  for (const [, skipped, width, allocates, verb] of format.matchAll(
    /%(\*)?(\d{1,9})?(?:hh|h|ll|l|j|z|t|L)?(m)?(\[\^?\]?[^\]]{0,300}\]|[a-zA-Z%])/g,
  )) {
    if (verb === "%" || skipped) continue;
    if (!allocates && (verb === "s" || verb?.startsWith("[")))
      found.push({ at: next, width: width ? Number(width) : null });
    next++;
  }
  return found;
}
