import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type * as z from "zod";
import { environment } from "./environment.ts";
import { table } from "./table.ts";

/** What records have in common that the system ships some of and users make more of: prompt templates and rule sets. */
export interface ShippedOrOwn {
  readonly id: string;
  /** Null when the system ships it. */
  readonly ownerId: string | null;
  readonly isSystem: boolean;
  readonly isActive: boolean;
  readonly sortOrder: number;
  readonly createdAt: string;
}

/** Everybody sees what the system ships; what a user made only that user sees. */
export const isVisibleTo = (callerId: string, record: ShippedOrOwn): boolean =>
  record.isSystem || record.ownerId === callerId;

/** The system's records as this user has them, others as they are. `switched` is what `overridesOf` gave. */
export const asSwitched = <R extends ShippedOrOwn>(record: R, switched: ReadonlyMap<string, boolean>): R =>
  record.isSystem ? { ...record, isActive: switched.get(record.id) ?? record.isActive } : record;

/** The order of lists: the system's first, among those the default, then by `sortOrder`, then newest first. */
export const systemFirst =
  <R extends ShippedOrOwn>(isDefault: (record: R) => boolean) =>
  (a: R, b: R): number =>
    Number(b.isSystem) - Number(a.isSystem) ||
    Number(isDefault(b)) - Number(isDefault(a)) ||
    a.sortOrder - b.sortOrder ||
    b.createdAt.localeCompare(a.createdAt) ||
    b.id.localeCompare(a.id);

/** All records listed in these partitions of the first index. Users make a bounded number, so they are read whole. */
export async function listedIn<S extends z.ZodType>(
  partitions: readonly { readonly gsi1pk: string }[],
  schema: S,
): Promise<z.output<S>[]> {
  const lists = partitions.map(async ({ gsi1pk }) => {
    const query = {
      TableName: environment().TABLE_NAME,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1pk = :pk",
      ExpressionAttributeValues: { ":pk": gsi1pk },
    };
    const records: z.output<S>[] = [];
    for await (const { Items = [] } of paginateQuery({ client: table }, query))
      records.push(...Items.map((item) => schema.parse(item)));
    return records;
  });
  return (await Promise.all(lists)).flat();
}

/** Sort orders stand in keys, which are compared as text. */
export const paddedOrder = (sortOrder: number): string => String(sortOrder).padStart(4, "0");

/** The largest that still has the four digits. */
export const sortOrderMax = 9999;
