import { hash } from "node:crypto";
import { isIPv6 } from "node:net";
import { normaliseEmail } from "../users/user.ts";

/**
 * Failures that cost nothing. An account belongs to one person; an address may be an office or a carrier's gateway, where others
 * mistype too.
 */
export const freeFailures = { account: 5, address: 20 } as const;
/** The wait doubles with each failure, 1, 2, 4, ... seconds, up to this. */
const waitSecondsMax = 15 * 60;
/** Without a failure for this long, all are forgotten: at the longest wait, a guesser gets about a hundred tries a day. */
export const rememberSeconds = 24 * 3600;

/** Whom failed sign-ins are counted for. */
export interface Subject {
  readonly kind: keyof typeof freeFailures;
  /** E-mail and network addresses are personal data, and no key of a table has to show them. */
  readonly hash: string;
}

/** A subject's failed sign-ins. */
export interface Failures extends Subject {
  readonly count: number;
  /** When the last one was, in milliseconds since 1970. */
  readonly lastAt: number;
}

/** Both are counted whether or not there is such an account, so that the count tells nothing about it. */
export const subjectsOf = (email: string, sourceAddress: string) => ({
  account: subject("account", normaliseEmail(email)),
  address: subject("address", networkOf(sourceAddress)),
});

/** @returns whole seconds until the next try is let through; 0 when it is now */
export function waitSeconds({ kind, count, lastAt }: Failures, at: Date): number {
  const over = count - freeFailures[kind];
  if (over < 0) return 0;
  const until = lastAt + Math.min(2 ** over, waitSecondsMax) * 1000;
  return Math.max(0, Math.ceil((until - at.getTime()) / 1000));
}

const subject = (kind: Subject["kind"], value: string): Subject => ({
  kind,
  hash: hash("sha256", value),
});

/** What one subscriber holds: an IPv4 address, or an IPv6 network of 64 bits, inside of which a client may choose its address anew each time. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".") || address.includes("%")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const first = head.split(":").filter(Boolean);
  const last = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill("0");
  const groups = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(":")}::/64`;
}
