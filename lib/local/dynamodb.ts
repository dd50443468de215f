import { mkdir } from "node:fs/promises";
import { query, scan } from "./dynamodb/pages.ts";
import { permissionsOf } from "./dynamodb/permissions.ts";
import { getBatch, getItem } from "./dynamodb/reads.ts";
import { type Operation, parseRequest, type WriteKind } from "./dynamodb/requests.ts";
import { Storage } from "./dynamodb/storage.ts";
import { Tables } from "./dynamodb/tables.ts";
import { deleteExpired } from "./dynamodb/time-to-live.ts";
import { forgetTokens, transactGet, transactWrite } from "./dynamodb/transactions.ts";
import { writeBatch, writeItem } from "./dynamodb/writes.ts";
import type { Json, JsonService, Permission } from "./service.ts";

export interface DynamoDbProps {
  /** Where the data lies; made when it is missing, used by one process at a time. */
  readonly folder: string;
  /** @default the clock */
  readonly now?: () => Date;
}

/** AWS takes up to two days to delete what has expired; readers have to filter either way. */
const sweepMs = 60_000;

/**
 * DynamoDB on this machine, in LevelDB under a folder. A write is on disk when it is answered; a transaction is all or
 * nothing, also across a crash, and no read sees half of it. Tables are on demand and active at once; indexes are never
 * behind. Not here, because nothing in the stack uses it: PartiQL, streams, backups, local indexes, consumed capacity.
 */
export class DynamoDb implements JsonService {
  readonly contentType = "application/x-amz-json-1.0";
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #storage: Storage;
  readonly #tables: Tables;
  /** The gateway asks for the permissions of a request and then hands over the same object: it is parsed once. */
  readonly #parsed = new WeakMap<object, ReturnType<typeof parseRequest>>();
  #sweeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor({ folder, now = () => new Date() }: DynamoDbProps) {
    this.#folder = folder;
    this.#now = now;
    this.#storage = new Storage(folder);
    this.#tables = new Tables(this.#storage, now);
  }

  /** @throws Error when another process uses the folder */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#storage.open();
    await this.#tables.load();
    this.#sweeper = setInterval(() => this.#sweepQuietly(), sweepMs).unref();
  }

  /** Lets the writes under way finish. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#sweeping;
    await this.#storage.close();
  }

  /**
   * Makes a table be as a template says, for deployment; safe to repeat. New indexes are built from the items that are
   * there, indexes that are gone are dropped.
   * @param input a CreateTable request
   * @throws Error when the table exists with another key
   */
  ensureTable(input: Json, timeToLiveAttribute?: string): Promise<void> {
    return this.#tables.ensure(input, timeToLiveAttribute ?? null);
  }

  /**
   * Deletes expired items now; it happens once a minute anyway.
   * @returns how many items were deleted
   */
  async sweep(): Promise<number> {
    await forgetTokens(this.#storage, this.#now());
    return deleteExpired(this.#tables, this.#storage, this.#now());
  }

  permissions(operation: string, input: Json): Permission[] {
    const parsed = parseRequest(operation, input);
    this.#parsed.set(input, parsed);
    return permissionsOf(parsed.operation, parsed.request, this.#tables);
  }

  async call(operation: string, input: Json): Promise<object> {
    const parsed = this.#parsed.get(input) ?? parseRequest(operation, input);
    this.#parsed.delete(input);
    return this.#run(parsed.operation, parsed.request);
  }

  async #run(operation: Operation, request: Json): Promise<object> {
    const tables = this.#tables;
    const storage = this.#storage;
    const write = (kind: WriteKind) => writeItem(kind, request, tables, storage);
    switch (operation) {
      case "CreateTable":
        return tables.create(request);
      case "DescribeTable":
        return { Table: tables.named(request.TableName).description };
      case "ListTables":
        return tables.list(request);
      case "UpdateTimeToLive":
        return tables.updateTimeToLive(request);
      case "DescribeTimeToLive":
        return tables.describeTimeToLive(request);
      case "GetItem":
        return getItem(request, tables, storage);
      case "PutItem":
        return write("Put");
      case "UpdateItem":
        return write("Update");
      case "DeleteItem":
        return write("Delete");
      case "Query":
        return query(request, tables, storage);
      case "Scan":
        return scan(request, tables, storage);
      case "BatchGetItem":
        return getBatch(request, tables, storage);
      case "BatchWriteItem":
        return writeBatch(request, tables, storage);
      case "TransactGetItems":
        return transactGet(request, tables, storage);
      case "TransactWriteItems":
        return transactWrite(request, tables, storage, this.#now());
    }
  }

  /** A sweep that takes longer than a minute is not overtaken by the next. */
  #sweepQuietly(): void {
    this.#sweeping = this.#sweeping
      .then(() => this.sweep())
      .catch((error) => console.error("embedded DynamoDB: the sweep of expired items failed:", error));
  }
}
