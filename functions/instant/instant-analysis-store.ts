import { DeleteCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { listPage } from "../platform/list-page.ts";
import { keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { InstantAnalysis } from "./instant-analysis.ts";

/**
 * More than anybody pastes by hand; whoever has more code makes a scan of it. An analysis can hold a function of 1.7 GB for 28 seconds, so
 * this is also what keeps one account below five cents an hour.
 */
export const analysesPerHourMax = 60;

/**
 * Counts an analysis that is about to begin, in the hour by the clock that it begins in.
 * @throws SluiceError instant_analysis_limit_reached with the seconds that are left of the hour
 */
export async function countInstantAnalysis(userId: string, at: Date): Promise<void> {
  const seconds = Math.floor(at.getTime() / 1000);
  const hourEnds = (Math.floor(seconds / 3600) + 1) * 3600;
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.instantAnalysesOfHour(userId, at.toISOString().slice(0, 13)),
    UpdateExpression: "SET expiresAt = :expires, v = :v ADD analyses :one",
    ConditionExpression: "attribute_not_exists(analyses) OR analyses < :max",
    ExpressionAttributeValues: { ":one": 1, ":max": analysesPerHourMax, ":expires": hourEnds + 3600, ":v": 1 },
  });
  const refusal = { limit: analysesPerHourMax, retryAfterSeconds: hourEnds - seconds };
  await table.send(update).catch(whenConditionFails(() => new SluiceError("instant_analysis_limit_reached", refusal)));
}

/**
 * Adds an entry to the history of its owner. An analysis takes long enough for its user to be deleted meanwhile, and what is written after
 * that nobody would ever erase.
 * @throws SluiceError not_authenticated when there is no such user any more
 */
export async function keepInstantAnalysis(analysis: InstantAnalysis): Promise<void> {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: { ...keys.instantAnalysis(analysis.ownerId, analysis.id), v: 1, ...analysis },
    ConditionExpression: "attribute_not_exists(pk)",
  };
  await writeForUser(analysis.ownerId, [{ write: { Put } }]);
}

/** A page of a user's history, newest first: ids are made in the order of time. */
export const listInstantAnalyses = (userId: string, page: { skip: number; limit: number }) =>
  listPage(
    {
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": keys.instantAnalysis(userId, "").pk },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    page,
    InstantAnalysis,
  );

/** @throws SluiceError instant_analysis_not_found, also for an entry of somebody else */
export async function readInstantAnalysis(userId: string, id: string): Promise<InstantAnalysis> {
  const place = { TableName: environment().TABLE_NAME, Key: keys.instantAnalysis(userId, id) };
  const { Item } = await table.send(new GetCommand({ ...place, ConsistentRead: true }));
  if (!Item) throw new SluiceError("instant_analysis_not_found");
  return InstantAnalysis.parse(Item);
}

/** @throws SluiceError instant_analysis_not_found, also for an entry of somebody else */
export async function deleteInstantAnalysis(userId: string, id: string): Promise<void> {
  const place = { TableName: environment().TABLE_NAME, Key: keys.instantAnalysis(userId, id) };
  // The condition below is what counts when two ask at once. This look keeps refused requests from being writes at all.
  const { Item } = await table.send(new GetCommand({ ...place, ConsistentRead: true }));
  if (!Item) throw new SluiceError("instant_analysis_not_found");
  const remove = new DeleteCommand({ ...place, ConditionExpression: "attribute_exists(pk)" });
  await table.send(remove).catch(whenConditionFails(() => new SluiceError("instant_analysis_not_found")));
}

/** Forgets a user's whole history. What counts the hour lies elsewhere and stays. */
export const forgetInstantAnalyses = (userId: string): Promise<void> =>
  deletePartition(keys.instantAnalysis(userId, nobody));

/** No entry has this id, so none is spared. */
const nobody = "";
