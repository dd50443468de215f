import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { deletePrefix } from "../platform/object-store.ts";
import { indexKeys, keys, table } from "../platform/table.ts";
import type { Run } from "./run.ts";
import { runIdOf } from "./run-name.ts";

/** Where the runs of users who are gone are listed. Nobody calls under this name. */
const goneTenant = "gone";
/** Whose a run was, for who knows the id: a deletion that died goes on with its own. It does not say who. */
const formerTenant = (tenant: string) => runIdOf(goneTenant, tenant);

/** A writer that was shut out may have an upload under way, of a minute at most, and readers a page of the index. What is left by then is found again. */
const buriedMilliseconds = 3600_000;

/**
 * Erases the runs of a user who is gone, with their exports. First each is taken from the user and shut, so that whoever still writes is refused
 * and what there is no time for is erased in the night. An empty shell of each stays until then, which says nothing of the user. May be repeated.
 * @param signal ends it between two runs
 */
export async function eraseRunsOf(tenant: string, now: Date, signal: AbortSignal): Promise<void> {
  const buried = new Set<string>();
  for await (const { id } of runsOf(tenant)) {
    await bury(id, tenant, now);
    buried.add(id);
  }
  // Those of an earlier call that died too. The index may not tell of the ones just buried yet.
  for await (const run of runsOf(goneTenant)) if (run.tenant === formerTenant(tenant)) buried.add(run.id);
  for (const id of buried) {
    if (signal.aborted) return;
    await erase(id);
  }
}

/** Erases what has come late to runs of users who are gone, and what is left of those that nobody can write to any more. May be repeated. */
export async function eraseBuriedRuns(now: Date, signal: AbortSignal): Promise<void> {
  for await (const { id, closedAt } of runsOf(goneTenant)) {
    if (signal.aborted) return;
    await erase(id);
    if (now.getTime() - Date.parse(closedAt as string) < buriedMilliseconds) continue;
    await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.run(id) }));
  }
}

async function* runsOf(tenant: string): AsyncGenerator<Pick<Run, "id" | "tenant" | "closedAt">> {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.runsOf(tenant).gsi1pk },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items as Run[];
}

/** The next epoch shuts its writer out, as a successor's would. */
async function bury(id: string, tenant: string, now: Date): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.run(id),
    UpdateExpression:
      "SET #status = :closed, closedAt = :now, epoch = epoch + :one, tenant = :former, #name = :id, gsi1pk = :buried",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeNames: { "#status": "status", "#name": "name" },
    ExpressionAttributeValues: {
      ":closed": "closed",
      ":now": now.toISOString(),
      ":one": 1,
      ":former": formerTenant(tenant),
      ":id": id,
      ":buried": indexKeys.runsOf(goneTenant).gsi1pk,
    },
  });
  await table.send(update).catch((error) => {
    // The index lags behind: it is gone already.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

async function erase(id: string): Promise<void> {
  const bucket = environment().RESULTS_BUCKET;
  await deletePrefix(bucket, `runs/${id}/`);
  await deletePrefix(bucket, `exports/runs/${id}/`);
  await deletePartition(keys.run(id));
}
