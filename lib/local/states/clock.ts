import { type Cancellation, Cancelled } from "./cancellation.ts";

export interface ClockProps {
  /** @default the system's time */
  readonly now?: () => Date;
  /** Calls back after so many milliseconds unless the returned function is called before. @default setTimeout */
  readonly setTimer?: (run: () => void, milliseconds: number) => () => void;
}

/** setTimeout takes 31 bits of milliseconds; a Wait may last a year, so long waits go day by day. */
const timerMillisecondsMax = 24 * 60 * 60 * 1000;

/** Time as executions and rules see it; tests put their own underneath, so nothing ever sleeps there. */
export class Clock {
  readonly now: () => number;
  readonly #setTimer: (run: () => void, milliseconds: number) => () => void;

  constructor(props: ClockProps = {}) {
    this.now = props.now ? () => (props.now as () => Date)().getTime() : Date.now;
    this.#setTimer = props.setTimer ?? systemTimer;
  }

  /** Resolves at `deadline` (epoch milliseconds). @throws Cancelled when the scope is given up before */
  until(deadline: number, scope: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const forget = scope.onCancel(() => {
        stop();
        reject(new Cancelled());
      });
      const arm = () => {
        const left = deadline - this.now();
        if (left > 0) stop = this.#setTimer(arm, Math.min(left, timerMillisecondsMax));
        else {
          forget();
          resolve();
        }
      };
      if (!scope.cancelled) arm();
    });
  }
}

function systemTimer(run: () => void, milliseconds: number): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

const waitingTurns: (() => void)[] = [];

/**
 * Lets timers and sockets have their turn: an execution of quick states would otherwise never leave the microtasks. One
 * waiter goes on in each turn of the event loop, so that a thousand children hold up others no longer than one does.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waitingTurns.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waitingTurns.shift()?.();
  if (waitingTurns.length > 0) setImmediate(giveTurn);
}
