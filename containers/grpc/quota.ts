export interface QuotaLimits {
  /** Per caller. @default unlimited */
  readonly callsPerSecond?: number;
  /** Per caller. @default unlimited */
  readonly bytesPerSecond?: number;
}

/** Unlike Infinity, it stays a number when multiplied by no time at all. */
const unlimited = Number.MAX_SAFE_INTEGER;

interface Account {
  calls: number;
  bytes: number;
  at: number;
}

/**
 * How much one caller may send. Accounts fill up by the second to at most one second's worth. A call is let in while both have something left,
 * and its bytes are taken when they have arrived: an account may fall below zero, and is waited for until it is back.
 */
export class Quota {
  readonly #calls: number;
  readonly #bytes: number;
  readonly #accounts = new Map<string, Account>();

  constructor({ callsPerSecond = unlimited, bytesPerSecond = unlimited }: QuotaLimits) {
    this.#calls = callsPerSecond;
    this.#bytes = bytesPerSecond;
  }

  /** @returns the milliseconds to wait, or 0 when the call may go on now */
  admit(caller: string, now: number): number {
    if (this.#calls === unlimited && this.#bytes === unlimited) return 0;
    const account = this.#accountOf(caller, now);
    const wait = Math.max(secondsTo(1, account.calls, this.#calls), secondsTo(1, account.bytes, this.#bytes)) * 1000;
    if (wait === 0) account.calls -= 1;
    return wait;
  }

  charge(caller: string, bytes: number, now: number): void {
    if (this.#bytes === unlimited) return;
    this.#accountOf(caller, now).bytes -= bytes;
  }

  #accountOf(caller: string, now: number): Account {
    const known = this.#accounts.get(caller);
    if (!known) this.#forgetFull(now);
    const account = known ?? { calls: this.#calls, bytes: this.#bytes, at: now };
    this.#fill(account, now);
    this.#accounts.set(caller, account);
    return account;
  }

  #fill(account: Account, now: number): void {
    const seconds = Math.max(0, now - account.at) / 1000;
    account.calls = Math.min(this.#calls, account.calls + seconds * this.#calls);
    account.bytes = Math.min(this.#bytes, account.bytes + seconds * this.#bytes);
    account.at = now;
  }

  /** A full account says no more than none. */
  #forgetFull(now: number): void {
    for (const [caller, account] of this.#accounts) {
      this.#fill(account, now);
      if (account.calls === this.#calls && account.bytes === this.#bytes) this.#accounts.delete(caller);
    }
  }
}

const secondsTo = (needed: number, left: number, perSecond: number): number =>
  left >= needed ? 0 : (needed - left) / perSecond;
