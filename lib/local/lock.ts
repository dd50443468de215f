import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another process works with this data folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";

  constructor(folder: string) {
    super(
      `The data folder ${folder} is in use by another Sluice; stop that one, or set SLUICE_DATA_DIR to another folder.`,
    );
  }
}

/** SQLITE_BUSY */
const busy = 5;

/**
 * Takes the data folder for this process alone, and makes it if it is missing, readable by its owner only. The lock is one
 * of the kernel (SQLite's, the only one Node offers), so it ends with the process however that ends; no file of ours can
 * be left behind stale.
 * @returns what gives the folder back
 * @throws FolderInUse
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(folder, "lock"));
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === busy) throw new FolderInUse(folder);
    throw error;
  }
  return () => lock.close();
}
