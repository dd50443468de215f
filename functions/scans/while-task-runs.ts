import { environment } from "../platform/environment.ts";
import { keys } from "../platform/table.ts";

/**
 * For transactions that must not happen once an attempt of a task has ended, was cancelled or replaced.
 * @param issuesResolved by how much the number of its resolved issues changes: DynamoDB takes one write per item and transaction
 */
export function whileTaskRuns(id: string, attempt: number, issuesResolved = 0) {
  const held = {
    TableName: environment().TABLE_NAME,
    Key: keys.task(id),
    ConditionExpression: "#status = :running AND attempt = :attempt",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":running": "running", ":attempt": attempt },
  };
  if (issuesResolved === 0) return { ConditionCheck: held };
  const UpdateExpression = "ADD issuesResolved :resolved";
  const ExpressionAttributeValues = { ...held.ExpressionAttributeValues, ":resolved": issuesResolved };
  return { Update: { ...held, UpdateExpression, ExpressionAttributeValues } };
}
