import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { failedConditions, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import type { Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";

/**
 * Who writes a run, and until when nobody else should try. It only keeps writers from disturbing each other: what keeps a log whole is
 * the epoch in the run itself, which every commit is conditional on.
 */
const Lease = z.object({
  ownerId: z.string(),
  /** One life of a log: two of one owner are told apart by it. Leases stored before there was one hold none. */
  writerId: z.string().default(""),
  epoch: z.number().int(),
  /** Milliseconds since 1970; 0 when the owner has given it back. */
  until: z.number(),
});
type Lease = z.infer<typeof Lease>;

export interface LeaseRequest {
  readonly ownerId: string;
  readonly writerId: string;
  /** Whether this very writer has held the lease before: it gets it back, but takes it from nobody. */
  readonly isAgain: boolean;
  readonly now: number;
  readonly leaseMs: number;
}

/** A lost race is looked at again; so many in a row are no race. */
const triesMax = 5;

/**
 * Makes the caller the one writer of a run, and shuts every earlier one out. An owner takes its own lease over at once, so that a process
 * that starts again under its name does not wait for itself; a writer that had trouble does not take it from its own successor.
 * @returns the run as the new writer finds it; its `epoch` is the writer's own from now on
 * @throws RunError run_not_found, run_closed, lease_held
 */
export async function takeLease(runId: string, lease: LeaseRequest): Promise<Run> {
  for (let attempt = 1; ; attempt++) {
    const [run, held] = await Promise.all([requireRun(runId), findLease(runId)]);
    if (run.status === "closed") throw new RunError("run_closed", `The run ${run.name} is closed.`);
    if (held && !mayTake(held, lease)) {
      throw new RunError("lease_held", `${held.ownerId} writes the run ${run.name}.`, { until: held.until });
    }
    const until = lease.now + lease.leaseMs;
    const write = takingLease(run, held, {
      ownerId: lease.ownerId,
      writerId: lease.writerId,
      epoch: run.epoch + 1,
      until,
    });
    try {
      await sendUntilNoConflict(write);
      return requireRun(runId);
    } catch (error) {
      if (!failedConditions(error) || attempt === triesMax) throw error;
    }
  }
}

function mayTake(held: Lease, lease: LeaseRequest): boolean {
  if (lease.isAgain) return held.writerId === lease.writerId;
  return held.ownerId === lease.ownerId || held.until <= lease.now;
}

function takingLease(run: Run, held: Lease | null, next: Lease): TransactWriteCommand {
  const TableName = environment().TABLE_NAME;
  return new TransactWriteCommand({
    ClientRequestToken: randomUUID(),
    TransactItems: [
      {
        Put: {
          TableName,
          Item: { ...keys.runLease(run.id), v: 1, ...next },
          // An owner that has renewed it since we looked is alive.
          ConditionExpression: held ? "epoch = :epoch AND #until = :until" : "attribute_not_exists(pk)",
          ...(held && {
            ExpressionAttributeNames: { "#until": "until" },
            ExpressionAttributeValues: { ":epoch": held.epoch, ":until": held.until },
          }),
        },
      },
      {
        Update: {
          TableName,
          Key: keys.run(run.id),
          UpdateExpression: "SET epoch = :next",
          ConditionExpression: "epoch = :epoch AND #status = :open",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":next": next.epoch, ":epoch": run.epoch, ":open": "open" },
        },
      },
    ],
  });
}

async function findLease(runId: string): Promise<Lease | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.runLease(runId), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? Lease.parse(Item) : null;
}

/** Keeps the lease until a later time. @returns false when somebody else has it now */
export const renewLease = (runId: string, epoch: number, until: number): Promise<boolean> =>
  setUntil(runId, epoch, until);

/** Lets the next writer in without a wait. One that was overtaken has nothing to give back, and that is no error. */
export async function releaseLease(runId: string, epoch: number): Promise<void> {
  await setUntil(runId, epoch, 0);
}

async function setUntil(runId: string, epoch: number, until: number): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.runLease(runId),
    UpdateExpression: "SET #until = :until",
    ConditionExpression: "epoch = :epoch",
    ExpressionAttributeNames: { "#until": "until" },
    ExpressionAttributeValues: { ":until": until, ":epoch": epoch },
  });
  try {
    await table.send(update);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
