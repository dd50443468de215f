import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../platform/environment.ts";
import { indexKeys, keys, table } from "../../platform/table.ts";
import { recount } from "../../projects/recount.ts";
import type { Migration, MigrationRun } from "../migration.ts";
import { walkPartition, walkUserIds } from "../walk.ts";

/** The first projects, tasks and issues were not counted: gives completed tasks the number of their resolved issues, then owners their counters. */
export const countStatistics: Migration = {
  number: 6,
  name: "count_statistics",
  run: async ({ now, keepClaim }) => {
    for await (const ownerId of walkUserIds()) {
      for await (const task of walkPartition(indexKeys.tasksOf(ownerId).gsi2pk, "gsi2"))
        if (task.status === "completed" && task.issuesResolved === undefined)
          await countResolved(task.id as string, keepClaim);
      await keepClaim();
      // Counters that change at this moment are left to the nightly recount.
      await recount(ownerId, now());
    }
  },
};

async function countResolved(taskId: string, keepClaim: MigrationRun["keepClaim"]): Promise<void> {
  let resolved = 0;
  for await (const issue of walkPartition(indexKeys.issuesOf(taskId).gsi1pk, "gsi1")) {
    await keepClaim();
    if (issue.status === "resolved") resolved += 1;
  }
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.task(taskId),
    UpdateExpression: "SET issuesResolved = :resolved",
    ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(issuesResolved)",
    ExpressionAttributeValues: { ":resolved": resolved },
  });
  await table.send(update).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
