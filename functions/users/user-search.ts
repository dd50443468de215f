import type { User } from "./user.ts";
import type { UserEntry } from "./user-entry.ts";

/** What a search asks for; what is left out fits every user. */
export interface UserFilter {
  /** A part of the address, the name or the phone number, in any case and width. */
  readonly search?: string | undefined;
  readonly role?: User["role"] | undefined;
  readonly isActive?: boolean | undefined;
}

/** An entry made ready for many searches. */
export interface SearchRow {
  readonly id: string;
  readonly createdAt: string;
  readonly role: User["role"];
  readonly isActive: boolean;
  readonly email: string;
  readonly name: string;
  /** Digits only: people write the same number with spaces, dashes and brackets. */
  readonly phone: string;
}

export const searchRow = (entry: UserEntry): SearchRow => ({
  id: entry.id,
  createdAt: entry.createdAt,
  role: entry.role,
  isActive: entry.isActive,
  email: fold(entry.email),
  name: fold(entry.fullName),
  phone: digits(entry.phone ?? ""),
});

/** Newest first. Ids are UUIDv7, so they settle the order of users of the same millisecond, and every page agrees on it. */
export const newestFirst = (a: SearchRow, b: SearchRow): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Tells which rows a filter asks for. */
export function matcher({ search = "", role, isActive }: UserFilter): (row: SearchRow) => boolean {
  const wanted = fold(search.trim());
  const number = looksLikeNumber(search) ? digits(search) : "";
  return (row) =>
    (role === undefined || row.role === role) &&
    (isActive === undefined || row.isActive === isActive) &&
    (row.email.includes(wanted) || row.name.includes(wanted) || (number !== "" && row.phone.includes(number)));
}

/**
 * One form for all cases and widths of a text. Upper case comes last, because it is the same wherever a letter stands: the lower case of Σ
 * depends on its place, and ß would not meet SS.
 */
export const fold = (text: string): string => text.normalize("NFKC").toUpperCase().normalize("NFKC");

const digits = (text: string): string => text.normalize("NFKC").replace(/[^0-9]/g, "");

/** A name with a digit in it must not find everybody whose number has that digit. */
const looksLikeNumber = (text: string): boolean => /^[0-9\s+().\-/#]*$/.test(text.normalize("NFKC"));
