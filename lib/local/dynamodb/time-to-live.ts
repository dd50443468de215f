import type { Storage } from "./storage.ts";
import { expiryOf, expiryRows, itemRowOfExpiry, paddedSeconds, replacing, type Table } from "./table.ts";
import type { Tables } from "./tables.ts";

/** DynamoDB leaves an item alone whose time is this long past: it takes it for a mistake. */
const forgottenSeconds = 5 * 365 * 24 * 3600;

/**
 * Deletes the items of all tables whose time has come.
 * @returns how many were deleted
 */
export async function deleteExpired(tables: Tables, storage: Storage, now: Date): Promise<number> {
  const seconds = Math.floor(now.getTime() / 1000);
  let deleted = 0;
  for (const table of tables.all()) {
    const from = paddedSeconds(Math.max(0, seconds - forgottenSeconds));
    const range = { gte: expiryRows(table) + from, lt: expiryRows(table) + paddedSeconds(seconds) };
    for await (const row of storage.keys(range)) {
      const gone = await storage.exclusive(() => deleteIfExpired(tables.get(table.name), row, seconds, storage));
      if (gone) deleted += 1;
    }
  }
  return deleted;
}

/** The item may have been given a new life since the sweep saw it. */
async function deleteIfExpired(table: Table, row: string, seconds: number, storage: Storage): Promise<boolean> {
  const item = await storage.get(itemRowOfExpiry(table, row));
  const expiry = item && expiryOf(table, item);
  if (expiry === undefined || expiry === null || expiry >= seconds) return false;
  await storage.commit(replacing(table, item, undefined));
  return true;
}
