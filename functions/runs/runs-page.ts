import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { indexKeys, table } from "../platform/table.ts";
import { Run } from "./run.ts";
import { sortKeyOf } from "./run-store.ts";

export interface RunsPage {
  readonly runs: readonly Run[];
  /** Where the next page begins; null when this was the last. */
  readonly next: string | null;
}

/**
 * Runs of a tenant, newest first, page after page: a page costs what it holds, however many came before it. REST counts all of them instead,
 * as its lists tell a total.
 * @param after of the page before; null for the first. It only orders within the tenant's own partition, so nobody need check it.
 */
export async function runsPage(tenant: string, after: string | null, limit: number): Promise<RunsPage> {
  const query = new QueryCommand({
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: after === null ? "gsi1pk = :pk" : "gsi1pk = :pk AND gsi1sk < :after",
    ExpressionAttributeValues: {
      ":pk": indexKeys.runsOf(tenant).gsi1pk,
      ...(after !== null && { ":after": after }),
    },
    ScanIndexForward: false,
    Limit: limit,
  });
  const { Items = [], LastEvaluatedKey } = await table.send(query);
  const runs = Items.map((item) => Run.parse(item));
  const last = runs.at(-1);
  return { runs, next: LastEvaluatedKey && last ? sortKeyOf(last) : null };
}
