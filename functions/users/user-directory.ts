import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { log } from "../platform/log.ts";
import { readItems } from "../platform/read-items.ts";
import { keys, table, userShards } from "../platform/table.ts";
import { UserEntry } from "./user-entry.ts";
import { matcher, newestFirst, type SearchRow, searchRow, type UserFilter } from "./user-search.ts";

interface Shard {
  /** As it was before its entries were read: what changed meanwhile has raised it, and the shard is read again next time. */
  readonly version: number;
  readonly rows: readonly SearchRow[];
}

/** What this function instance knows. One small item per shard tells whether it is current, so most searches read nothing else. */
let known: { readonly shards: readonly Shard[]; readonly rows: readonly SearchRow[] } = { shards: [], rows: [] };

/**
 * Searches all users, newest first.
 * @returns the ids from `skip` on, at most `limit`, and the exact number of matches
 */
export async function searchUsers(
  filter: UserFilter,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const matches = (await readDirectory()).filter(matcher(filter));
  return { ids: matches.slice(skip, skip + limit).map(({ id }) => id), total: matches.length };
}

/** @returns the ids of all administrators who may sign in, as of now */
export async function activeAdministrators(): Promise<string[]> {
  return (await readDirectory()).filter(matcher({ role: "admin", isActive: true })).map(({ id }) => id);
}

/** All rows, newest first. Only shards with another version than the known one are read. */
async function readDirectory(): Promise<readonly SearchRow[]> {
  const versions = await readVersions();
  const current = await Promise.all(
    versions.map((version, shard) => {
      const before = known.shards[shard];
      return before?.version === version ? before : loadShard(shard, version);
    }),
  );
  if (current.some((shard, index) => shard !== known.shards[index])) {
    // The shards are sorted each, which the sort makes use of: it merges them.
    known = { shards: current, rows: current.flatMap(({ rows }) => rows).sort(newestFirst) };
  }
  return known.rows;
}

async function readVersions(): Promise<number[]> {
  const shardKeys = Array.from({ length: userShards }, (_, shard) => keys.userShard(shard));
  const versions = new Map((await readItems(shardKeys)).map(({ pk, version }) => [pk, version as number]));
  return shardKeys.map(({ pk }) => versions.get(pk) ?? 0);
}

async function loadShard(shard: number, version: number): Promise<Shard> {
  const { pk, sk } = keys.userShard(shard);
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND sk < :end",
    ExpressionAttributeValues: { ":pk": pk, ":end": sk },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  const startedAt = performance.now();
  const rows: SearchRow[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    for (const item of Items) rows.push(searchRow(UserEntry.parse(item)));
  }
  log("info", "user directory read", { count: rows.length, milliseconds: Math.round(performance.now() - startedAt) });
  return { version, rows };
}
