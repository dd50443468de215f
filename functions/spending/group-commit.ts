import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { sendUntilNoConflict } from "../platform/table.ts";
import { type Booking, transactItems } from "./booking.ts";

/** A transaction takes 100 items; each booking brings at most three of its own, and all share a few. */
const groupMax = 25;

/** Enough for a hundred functions that begin to call for one user at the same moment; measured with transactions of 20 ms. */
const conflictTriesMax = 60;

interface Waiting {
  readonly booking: Booking;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Makes the bookings of one function one transaction at a time, all that wait together. The calls of a scan meet at the same three
 * counters, where DynamoDB cancels all transactions but one; without this, ten calls of a function would compete with each other.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];
  #busy = false;

  /** Resolves when the booking is made. Rejects with what its own transaction failed with. */
  book(booking: Booking): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ booking, done, failed });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) await this.#commit(this.#next());
    this.#busy = false;
  }

  /** The first that waits, and what can go with it: a transaction checks one task. */
  #next(): readonly Waiting[] {
    const scanOf = ({ booking }: Waiting) => JSON.stringify(booking.reservation.scan);
    const first = scanOf(this.#waiting[0] as Waiting);
    const group = this.#waiting.filter((one) => scanOf(one) === first).slice(0, groupMax);
    this.#waiting = this.#waiting.filter((one) => !group.includes(one));
    return group;
  }

  /**
   * A group that fails is made one by one: one of it may not fit, or nobody knows whether it was written. Each has a mark that can be made
   * once, so none counts twice.
   */
  async #commit(group: readonly Waiting[]): Promise<void> {
    if (group.length > 1 && (await isSent(group))) {
      for (const { done } of group) done();
      return;
    }
    for (const { booking, done, failed } of group) await send([booking]).then(done, failed);
  }
}

const send = async (bookings: readonly Booking[]): Promise<void> =>
  sendUntilNoConflict(new TransactWriteCommand({ TransactItems: transactItems(bookings) as never }), conflictTriesMax);

const isSent = (group: readonly Waiting[]): Promise<boolean> =>
  send(group.map(({ booking }) => booking)).then(
    () => true,
    () => false,
  );
