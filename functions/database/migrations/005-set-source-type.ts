import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../platform/environment.ts";
import { indexKeys, keys, table } from "../../platform/table.ts";
import type { Migration } from "../migration.ts";
import { walkPartition, walkUserIds } from "../walk.ts";

/** Projects stored without a source type get one: "repository" when they name a repository, else "zip". */
export const setSourceType: Migration = {
  number: 5,
  name: "set_source_type",
  run: async ({ keepClaim }) => {
    for await (const ownerId of walkUserIds()) {
      for (const active of [true, false]) {
        for await (const project of walkPartition(indexKeys.projectsOf(ownerId, active).gsi1pk, "gsi1")) {
          await keepClaim();
          if (project.sourceType === undefined) await setTypeOf(project.id as string, project.repositoryUrl);
        }
      }
    }
  },
};

/** The index may lag behind the table: a type that is there by now stays, and a project that is gone stays gone. */
async function setTypeOf(projectId: string, repositoryUrl: unknown): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.project(projectId),
    UpdateExpression: "SET sourceType = :type",
    ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(sourceType)",
    ExpressionAttributeValues: { ":type": repositoryUrl ? "repository" : "zip" },
  });
  await table.send(update).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
