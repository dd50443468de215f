import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import type { SpendingKey } from "./booking.ts";

/**
 * Forgets the figures of a scan or project that is deleted. A call that is still under way finds its reservation gone and books nothing
 * any more, so the user's month keeps its worst case.
 */
export async function forgetSpending(total: SpendingKey): Promise<void> {
  await deletePartition(total);
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: total }));
}

/** Forgets what a user who is deleted has spent in all months. May be repeated. */
export const forgetMonthsOf = (userId: string): Promise<void> => deletePartition(keys.monthSpending(userId, ""));
