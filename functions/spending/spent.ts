import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import type { SpendingKey } from "./booking.ts";
import { Committed, ModelSpending, nothingCommitted, type Spending } from "./spending.ts";

/** What a scan has spent on models. */
export const scanSpending = (taskId: string): Promise<Spending> => readSpending(keys.scanSpending(taskId));

/** What scans of a project have spent on models since it was made; it is not told apart by model. */
export const projectSpending = (projectId: string): Promise<Spending> => readSpending(keys.projectSpending(projectId));

/** What a user has spent on models in a month, "2026-11". */
export const monthSpending = (userId: string, month: string): Promise<Spending> =>
  readSpending(keys.monthSpending(userId, month));

async function readSpending(total: SpendingKey): Promise<Spending> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :total)",
    ExpressionAttributeValues: { ":pk": total.pk, ":total": total.sk },
    ConsistentRead: true,
  };
  let committed = nothingCommitted;
  const models: ModelSpending[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const item of Items)
      if (item.sk === total.sk) committed = Committed.parse(item);
      else models.push(ModelSpending.parse(item));
  return { committed, models };
}
