import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type * as z from "zod";
import { table } from "./table.ts";

/**
 * One page of a query and how many items there are in all. DynamoDB has no offset and no total, so the partition is walked:
 * counted with SELECT COUNT, read only from `skip` on. Both honour a filter, so pages are full and totals exact. Partitions listed this way
 * are bounded (a user's projects, a project's tasks).
 */
export async function listPage<S extends z.ZodType>(
  query: QueryCommandInput,
  { skip, limit }: { skip: number; limit: number },
  schema: S,
): Promise<{ items: z.output<S>[]; total: number }> {
  const [rows, total] = await Promise.all([firstRows(query, skip + limit), count(query)]);
  return { items: rows.slice(skip, skip + limit).map((row) => schema.parse(row)), total };
}

/**
 * One page over several queries, and over items at hand, as if they were one list, with the total of all. Each query must return its
 * items in descending `order` and no item may be in two of them.
 */
export async function mergedPage<S extends z.ZodType>(lists: {
  queries: readonly QueryCommandInput[];
  more?: readonly z.output<S>[];
  page: { skip: number; limit: number };
  schema: S;
  order: (item: z.output<S>) => string;
}): Promise<{ items: z.output<S>[]; total: number }> {
  const { queries, more = [], page, schema, order } = lists;
  const wanted = page.skip + page.limit;
  const parts = await Promise.all(queries.map((query) => listPage(query, { skip: 0, limit: wanted }, schema)));
  const items = [...more, ...parts.flatMap((part) => part.items)].toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
  return {
    items: items.slice(page.skip, wanted),
    total: parts.reduce((sum, part) => sum + part.total, more.length),
  };
}

async function firstRows(query: QueryCommandInput, wanted: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  let from: QueryCommandInput["ExclusiveStartKey"];
  do {
    // A filter comes after the limit: with one, a page of DynamoDB may hold any number of rows.
    const Limit = query.FilterExpression ? undefined : wanted - rows.length;
    const answer = await table.send(new QueryCommand({ ...query, Limit, ExclusiveStartKey: from }));
    rows.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
  } while (from && rows.length < wanted);
  return rows;
}

async function count(query: QueryCommandInput): Promise<number> {
  let total = 0;
  let from: QueryCommandInput["ExclusiveStartKey"];
  do {
    const answer = await table.send(new QueryCommand({ ...query, Select: "COUNT", ExclusiveStartKey: from }));
    total += answer.Count ?? 0;
    from = answer.LastEvaluatedKey;
  } while (from);
  return total;
}
