import type { Cancellation } from "./cancellation.ts";
import type { Clock } from "./clock.ts";

export interface DeadlineProps<T> {
  /** Epoch milliseconds; without one the work may take for ever. */
  readonly deadline: number | undefined;
  readonly late: () => Error;
  /** Runs in a scope that ends with it. */
  readonly work: (scope: Cancellation) => Promise<T>;
}

/** The result of the work, or the error of `late` at the deadline; the work is cancelled then. */
export async function withDeadline<T>(clock: Clock, scope: Cancellation, props: DeadlineProps<T>): Promise<T> {
  const inner = scope.child();
  try {
    const work = inner.guard(props.work(inner));
    if (props.deadline === undefined) return await work;
    const late = clock.until(props.deadline, inner).then(() => {
      throw props.late();
    });
    return await Promise.race([work, late]);
  } finally {
    inner.cancel();
  }
}
