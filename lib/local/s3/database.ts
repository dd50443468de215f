import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/**
 * One SQLite file, kept by one process. Statements are short and synchronous: what runs between two awaits is atomic, and
 * a transaction that has returned is on the disk.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  /** @throws Error when another process has the file open */
  constructor(path: string, schema: string) {
    this.#sqlite = new DatabaseSync(path);
    try {
      // Exclusive, so that a second embedded cloud cannot sweep away what this one is writing.
      this.#sqlite.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
      this.#sqlite.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
    } catch (error) {
      this.#sqlite.close();
      throw isLocked(error) ? new Error(`${path} is in use by another process`, { cause: error }) : error;
    }
  }

  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[];
  }

  get<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined;
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /** All of `work` or nothing; durable when this returns. Inside another transaction it becomes part of that. */
  transaction<T>(work: () => T): T {
    if (this.#sqlite.isTransaction) return work();
    this.#sqlite.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#sqlite.exec("COMMIT");
      return result;
    } catch (error) {
      // A commit that failed for want of disk space has rolled back by itself.
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#sqlite.close();
  }

  #prepare(sql: string) {
    const statement = this.#statements.get(sql) ?? this.#sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const sqliteBusy = 5;
const isLocked = (error: unknown) => (error as { errcode?: number }).errcode === sqliteBusy;
