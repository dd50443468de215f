import { AwsError, type Json } from "../service.ts";
import { depthOf, type Item, itemBytes, type Path } from "./attribute-value.ts";
import { type Check, checkPart, checkRequest, type ParsedExpressions, rulesOf, type Shape } from "./dynalite.ts";
import { invalid } from "./table.ts";

/** Members that several requests share, as they are after `parseRequest`. */
export interface ReadRequest extends ParsedExpressions {
  readonly TableName: string;
  readonly Key: Item;
}

export interface WriteRequest extends ParsedExpressions {
  readonly TableName: string;
  /** Of a put. */
  readonly Item?: Item;
  /** Of everything else. */
  readonly Key?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

/** The actions of a transaction, by the name of their member. */
export const writeKinds = ["Put", "Update", "Delete", "ConditionCheck"] as const;
export type WriteKind = (typeof writeKinds)[number];

export const itemBytesMax = 400 * 1024;
const levelsMax = 32;

const onFailure = { ReturnValuesOnConditionCheckFailure: { type: "String", enum: ["ALL_OLD", "NONE"] } };
const get: Rules = rulesOf("getItem");
const put: Rules = rulesOf("putItem");
const update: Rules = rulesOf("updateItem");
const remove: Rules = rulesOf("deleteItem");
const { TableName, ReturnConsumedCapacity, ReturnItemCollectionMetrics } = put.types as Record<string, Json>;

/** AWS calls these legacy and has an expression for each; our functions never send them. */
const legacyMembers = [
  "AttributesToGet",
  "AttributeUpdates",
  "ConditionalOperator",
  "Expected",
  "KeyConditions",
  "QueryFilter",
  "ScanFilter",
];

interface Rules {
  readonly types: Shape;
  readonly custom?: Check;
}

const answerMembers = ["ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics"];

/** A request inside a transaction: the same members, without those that say what to answer, and never legacy ones. */
const action = (name: string, { types }: Rules, more: Shape = {}) => {
  const foreign = [...answerMembers, ...legacyMembers];
  const members = Object.entries(types).filter(([member]) => !foreign.includes(member));
  return { type: `FieldStruct<${name}>`, children: { ...Object.fromEntries(members), ...more } };
};
const required = { type: "String", notNull: true };
const actions = (children: Shape) => ({
  type: "List",
  notNull: true,
  lengthGreaterThanOrEqual: 1,
  lengthLessThanOrEqual: 100,
  children: { type: "ValueStruct<TransactItem>", children },
});

const transactWrite: Rules = {
  types: {
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    ClientRequestToken: { type: "String", lengthGreaterThanOrEqual: 1, lengthLessThanOrEqual: 36 },
    TransactItems: actions({
      ConditionCheck: action("ConditionCheck", remove, { ...onFailure, ConditionExpression: required }),
      Put: action("Put", put, onFailure),
      Delete: action("Delete", remove, onFailure),
      Update: action("Update", update, { ...onFailure, UpdateExpression: required }),
    }),
  },
  custom({ TransactItems }) {
    for (const item of TransactItems) {
      if (Object.keys(item).length !== 1) return "TransactItems can only contain one of Check, Put, Update or Delete";
      checkPart(item.Put ?? item.Update ?? item.Delete ?? item.ConditionCheck, customOf(item));
      if (item.Put) checkItem(item.Put.Item);
    }
    return undefined;
  },
};

const customOf = (item: Json) => (item.Put ? put.custom : item.Update ? update.custom : remove.custom);

const transactGet: Rules = {
  types: { ReturnConsumedCapacity, TransactItems: actions({ Get: action("Get", get) }) },
  custom({ TransactItems }) {
    for (const item of TransactItems) {
      if (!item.Get) return "TransactItems can only contain Get";
      checkPart(item.Get, get.custom);
    }
    return undefined;
  },
};

const updateTimeToLive: Rules = {
  types: {
    TableName,
    TimeToLiveSpecification: {
      type: "FieldStruct<TimeToLiveSpecification>",
      notNull: true,
      children: {
        Enabled: { type: "Boolean", notNull: true },
        AttributeName: { ...required, lengthGreaterThanOrEqual: 1, lengthLessThanOrEqual: 255 },
      },
    },
  },
};

/** `more` is checked after what dynalite checks. */
const extended = ({ types, custom }: Rules, members: Shape, more: (request: Json) => void): Rules => ({
  types: { ...types, ...members },
  custom(request, store) {
    const message = custom?.(request, store);
    if (!message) more(request);
    return message;
  },
});

const operations = {
  CreateTable: rulesOf("createTable"),
  DescribeTable: rulesOf("describeTable"),
  ListTables: rulesOf("listTables"),
  UpdateTimeToLive: updateTimeToLive,
  DescribeTimeToLive: rulesOf("describeTimeToLive"),
  GetItem: get,
  PutItem: extended(put, onFailure, ({ Item }) => checkItem(Item)),
  UpdateItem: extended(update, onFailure, ({ ExpressionAttributeValues = {} }) =>
    checkDepth(ExpressionAttributeValues),
  ),
  DeleteItem: extended(remove, onFailure, () => {}),
  Query: rulesOf("query"),
  Scan: rulesOf("scan"),
  BatchGetItem: rulesOf("batchGetItem"),
  BatchWriteItem: extended(rulesOf("batchWriteItem"), {}, checkBatch),
  TransactGetItems: transactGet,
  TransactWriteItems: transactWrite,
} as const satisfies Record<string, Rules>;

export type Operation = keyof typeof operations;

/**
 * Checks a request as far as that is possible without looking at tables.
 * @returns its known members; parsed expressions stand beside them
 * @throws AwsError UnknownOperationException, SerializationException, ValidationException
 */
export function parseRequest(operation: string, input: Json): { operation: Operation; request: Json } {
  if (!Object.hasOwn(operations, operation)) {
    throw new AwsError("UnknownOperationException", `The embedded DynamoDB has no operation ${operation}.`);
  }
  if (typeof input !== "object" || input === null) throw new AwsError("SerializationException", "Not an object.");
  const parts = [input, ...Object.values(input.RequestItems ?? {})];
  const legacy = legacyMembers.filter((member) => parts.some((part) => Object.hasOwn(part ?? {}, member)));
  if (legacy.length > 0) throw invalid(`The embedded DynamoDB takes expressions in place of ${legacy.join(", ")}.`);
  const { types, custom } = operations[operation as Operation] as Rules;
  return { operation: operation as Operation, request: checkRequest(input, types, custom) };
}

function checkBatch({ RequestItems }: Json): void {
  const writes = Object.values(RequestItems as Record<string, Json[]>).flat();
  if (writes.length > 25) throw invalid("Too many items requested for the BatchWriteItem call");
  for (const { PutRequest } of writes) if (PutRequest) checkItem(PutRequest.Item);
}

function checkItem(item: Item): void {
  checkDepth(item);
  if (itemBytes(item) > itemBytesMax) throw invalid("Item size has exceeded the maximum allowed size");
}

/** @throws AwsError ValidationException when attributes are nested deeper than DynamoDB stores */
export function checkDepth(item: Item): void {
  if (Object.values(item).every((value) => depthOf(value) <= levelsMax)) return;
  throw invalid(
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
  );
}

export const pathsOf = (request: ParsedExpressions): readonly Path[] | undefined => request._projection?.paths;
