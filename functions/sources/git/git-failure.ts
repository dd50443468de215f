import { SluiceError } from "../../platform/errors.ts";

/** What can contradict itself in what a server sends. Our words, never the server's. */
export type Damage = "packet" | "pack" | "checksum" | "object" | "delta" | "missing object" | "tree" | "commit";

export const damaged = (host: string, part: Damage, cause?: unknown): SluiceError =>
  new SluiceError("repository_damaged", { host, part }, cause);

export const tooLarge = (host: string, what: string, limit: number): SluiceError =>
  new SluiceError("repository_too_large", { host, what, limit });

/** Time for everything that is asked of one host, and for the work on what it sent. */
export class Deadline {
  readonly #host: string;
  readonly #budgetMs: number;
  readonly #until: number;

  constructor(host: string, budgetMs: number) {
    this.#host = host;
    this.#budgetMs = budgetMs;
    this.#until = performance.now() + budgetMs;
  }

  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#until - performance.now()));
  }

  get passed(): boolean {
    return performance.now() >= this.#until;
  }

  /** @throws SluiceError outbound_timeout */
  check(): void {
    if (this.passed) throw this.timeout();
  }

  /** Waits for `work`, but no longer than there is time; it is not stopped then. @throws SluiceError outbound_timeout */
  async limit<T>(work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(this.timeout()), this.remainingMs);
    return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
  }

  timeout(): SluiceError {
    return new SluiceError("outbound_timeout", { host: this.#host, seconds: this.#budgetMs / 1000 });
  }
}
