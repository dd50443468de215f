import { randomUUID } from "node:crypto";
import { AwsError, type Json } from "../service.ts";
import { parseRequest } from "./requests.ts";
import type { Changes, Storage } from "./storage.ts";
import { endOf, expiryRows, indexRows, invalid, itemRows, rowsOf, type Table, tableArn, tableOf } from "./table.ts";

/** Rows written in one step while an index is built. */
const buildStep = 500;

/** The tables of this account: a handful, so their descriptions are held in memory. */
export class Tables {
  readonly #storage: Storage;
  readonly #now: () => Date;
  readonly #tables = new Map<string, Table>();

  constructor(storage: Storage, now: () => Date) {
    this.#storage = storage;
    this.#now = now;
  }

  async load(): Promise<void> {
    for await (const [, { description, timeToLive }] of this.#storage.entries({ gte: "table/", lt: endOf("table/") })) {
      this.#tables.set(description.TableName, tableOf(description, timeToLive));
    }
  }

  find(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  all(): Iterable<Table> {
    return this.#tables.values();
  }

  /** @throws AwsError ResourceNotFoundException */
  get(name: string): Table {
    return this.find(name) ?? notFound("Requested resource not found");
  }

  /** @throws AwsError ResourceNotFoundException, naming the table as the control plane does */
  named(name: string): Table {
    return this.find(name) ?? notFound(`Requested resource not found: Table: ${name} not found`);
  }

  list({ Limit = 100, ExclusiveStartTableName = "" }: Json): object {
    const names = [...this.#tables.keys()].sort().filter((name) => name > ExclusiveStartTableName);
    const page = names.slice(0, Limit);
    return { TableNames: page, ...(names.length > Limit && { LastEvaluatedTableName: page.at(-1) }) };
  }

  /** Answers as CreateTable does; the table is active at once. @throws AwsError ResourceInUseException */
  create(request: Json): Promise<object> {
    return this.#storage.exclusive(async () => {
      const name = request.TableName;
      if (this.find(name)) throw new AwsError("ResourceInUseException", `Table already exists: ${name}`);
      const table = tableOf(describe(request, this.#now()), null);
      await this.#save(table);
      return { TableDescription: table.description };
    });
  }

  /**
   * Makes a table be as a template says: creates it, or builds the indexes that are new and drops those that are gone.
   * @throws Error when keys differ: that would be another table, and the items of this one would be lost
   */
  async ensure(input: Json, timeToLive: string | null): Promise<void> {
    const { request } = parseRequest("CreateTable", structuredClone(input));
    await this.#storage.exclusive(async () => {
      const existing = this.find(request.TableName);
      const wanted = tableOf(describe(request, this.#now(), existing), timeToLive);
      if (existing) await this.#rebuild(existing, wanted);
      await this.#save(wanted);
    });
  }

  describeTimeToLive({ TableName }: Json): object {
    const { timeToLive } = this.named(TableName);
    const status = timeToLive === null ? { TimeToLiveStatus: "DISABLED" } : { TimeToLiveStatus: "ENABLED" };
    return { TimeToLiveDescription: { ...status, ...(timeToLive !== null && { AttributeName: timeToLive }) } };
  }

  updateTimeToLive({ TableName, TimeToLiveSpecification }: Json): Promise<object> {
    const { AttributeName, Enabled } = TimeToLiveSpecification;
    return this.#storage.exclusive(async () => {
      const table = this.named(TableName);
      if (!Enabled && table.timeToLive === null) throw invalid("TimeToLive is already disabled");
      if (table.timeToLive !== null && table.timeToLive !== AttributeName) {
        throw invalid(
          `TimeToLive is active on a different AttributeName: current AttributeName is ${table.timeToLive}`,
        );
      }
      if (Enabled && table.timeToLive !== null) throw invalid("TimeToLive is already enabled");
      const wanted = { ...table, timeToLive: Enabled ? AttributeName : null };
      await this.#rebuild(table, wanted);
      await this.#save(wanted);
      return { TimeToLiveSpecification };
    });
  }

  async #save(table: Table): Promise<void> {
    const { description, timeToLive } = table;
    await this.#storage.commit(new Map([[`table/${table.name}`, { description, timeToLive }]]));
    this.#tables.set(table.name, table);
  }

  /**
   * Rows of indexes that differ are cleared and built anew. The description follows once they are complete, so that after
   * a crash in between the work is simply done again.
   */
  async #rebuild(existing: Table, wanted: Table): Promise<void> {
    if (JSON.stringify(existing.keys) !== JSON.stringify(wanted.keys)) {
      throw new Error(
        `Table ${wanted.name} exists with the key ${JSON.stringify(existing.keys)}; ` +
          `the template asks for ${JSON.stringify(wanted.keys)}. Rename the table or remove the data folder.`,
      );
    }
    const before = derivedRows(existing);
    const after = derivedRows(wanted);
    const stale = [...before].filter(([rows, shape]) => after.get(rows) !== shape).map(([rows]) => rows);
    const fresh = [...after].filter(([rows, shape]) => before.get(rows) !== shape).map(([rows]) => rows);
    for (const rows of new Set([...stale, ...fresh])) await this.#clear(rows);
    if (fresh.length > 0) await this.#build(wanted, fresh);
  }

  async #build(table: Table, fresh: readonly string[]): Promise<void> {
    const all = itemRows(table);
    const changes = new Map<string, Json>();
    for await (const [, item] of this.#storage.entries({ gte: all, lt: endOf(all) })) {
      for (const [row, value] of rowsOf(table, item)) {
        if (fresh.some((rows) => row.startsWith(rows))) changes.set(row, value);
      }
      if (changes.size >= buildStep) await this.#flush(changes);
    }
    await this.#flush(changes);
  }

  async #clear(rows: string): Promise<void> {
    const changes = new Map<string, Json>();
    for await (const row of this.#storage.keys({ gte: rows, lt: endOf(rows) })) {
      changes.set(row, undefined);
      if (changes.size >= buildStep) await this.#flush(changes);
    }
    await this.#flush(changes);
  }

  async #flush(changes: Map<string, Json>): Promise<void> {
    await this.#storage.commit(changes satisfies Changes);
    changes.clear();
  }
}

/** Where the rows lie that are made from the items, and what decides how they look. */
const derivedRows = (table: Table): Map<string, string> =>
  new Map([
    ...table.indexes.map((index): [string, string] => [
      indexRows(table, index),
      JSON.stringify([index.keys, index.projected && [...index.projected].sort()]),
    ]),
    [expiryRows(table), String(table.timeToLive)],
  ]);

function describe(request: Json, now: Date, existing?: Table): Json {
  const { LocalSecondaryIndexes, GlobalSecondaryIndexes, BillingMode, ...rest } = request;
  // A local index needs reads through to the table and a 10 GB limit; nothing here asks for one.
  if (LocalSecondaryIndexes) throw invalid("The embedded DynamoDB has no local secondary indexes.");
  const arn = tableArn(rest.TableName);
  return {
    ...rest,
    TableArn: arn,
    TableId: existing?.description.TableId ?? randomUUID(),
    CreationDateTime: existing?.description.CreationDateTime ?? now.getTime() / 1000,
    TableStatus: "ACTIVE",
    BillingModeSummary: { BillingMode: BillingMode ?? "PROVISIONED" },
    ...(GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index: Json) => ({
        ...index,
        IndexArn: `${arn}/index/${index.IndexName}`,
        IndexStatus: "ACTIVE",
      })),
    }),
  };
}

function notFound(message: string): never {
  throw new AwsError("ResourceNotFoundException", message);
}
