import type { Json, Permission } from "../service.ts";
import { type AttributeValue, attribute, type Item } from "./attribute-value.ts";
import { type Operation, writeKinds } from "./requests.ts";
import { tableArn } from "./table.ts";
import type { Tables } from "./tables.ts";

const transactActions = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
} as const;

/**
 * What IAM has to allow for a request. A transaction needs the action of each of its items; a query on an index needs the
 * index. `dynamodb:LeadingKeys` has the partition keys that are touched; a Scan touches all and therefore names none.
 */
export function permissionsOf(operation: Operation, request: Json, tables: Tables): Permission[] {
  const table = (action: string, name: string, ...keys: Item[]) =>
    permission(action, tableArn(name), leadingKeys(name, keys, tables));
  switch (operation) {
    case "ListTables":
      return [permission(operation, "*", [])];
    case "GetItem":
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return [table(operation, request.TableName, request.Item ?? request.Key)];
    case "BatchGetItem":
      return Object.entries(request.RequestItems).map(([name, { Keys }]: Json) => table(operation, name, ...Keys));
    case "BatchWriteItem":
      return Object.entries(request.RequestItems).map(([name, writes]: Json) =>
        table(operation, name, ...writes.map((one: Json) => one.PutRequest?.Item ?? one.DeleteRequest.Key)),
      );
    case "TransactGetItems":
      return request.TransactItems.map(({ Get }: Json) => table("GetItem", Get.TableName, Get.Key));
    case "TransactWriteItems":
      return request.TransactItems.map((item: Json) => {
        const kind = writeKinds.find((one) => item[one])!;
        return table(transactActions[kind], item[kind].TableName, item[kind].Item ?? item[kind].Key);
      });
    case "Query":
    case "Scan":
      return [pagePermission(operation, request, tables)];
    default:
      return [table(operation, request.TableName)];
  }
}

/** An index has a partition key of its own, and that is the one a query on it is limited by. */
function pagePermission(operation: "Query" | "Scan", request: Json, tables: Tables): Permission {
  const table = tables.find(request.TableName);
  const source = request.IndexName ? table?.indexes.find(({ name }) => name === request.IndexName) : table;
  const condition = source && request.KeyConditions?.[source.keys.partition.name];
  const arn = tableArn(request.TableName);
  return permission(
    operation,
    request.IndexName ? `${arn}/index/${request.IndexName}` : arn,
    condition ? textOf(condition.AttributeValueList[0]) : [],
  );
}

const permission = (action: string, resource: string, keys: readonly string[]): Permission => ({
  action: `dynamodb:${action}`,
  resource,
  ...(keys.length > 0 && { context: { "dynamodb:LeadingKeys": keys } }),
});

function leadingKeys(name: string, keys: readonly Item[], tables: Tables): string[] {
  const partition = tables.find(name)?.keys.partition.name;
  return partition === undefined ? [] : keys.flatMap((key) => textOf(attribute(key, partition)));
}

function textOf(value: AttributeValue | undefined): string[] {
  const text = value?.S ?? value?.N ?? value?.B;
  return text === undefined ? [] : [text];
}
