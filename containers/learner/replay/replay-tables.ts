import { status } from "@grpc/grpc-js";
import { type Clock, systemClock } from "../../../functions/runs/clock.ts";
import type { RecordReader } from "../../../functions/runs/record-reader.ts";
import { neverRetry, RpcError } from "../../grpc/rpc-error.ts";
import { ReplayTable, type TableCheckpoint, type TableOptions } from "./replay-table.ts";

/** One of these has a row of numbers for each segment of its runs. */
const tablesPerTenantMax = 16;
const tablesMax = 256;

/** The tables of a process, by tenant and name. Those that nobody samples from give way to new ones, the longest unused first. */
export class ReplayTables {
  readonly #reader: RecordReader;
  readonly #clock: Clock;
  /** In order of use. */
  readonly #tables = new Map<string, ReplayTable>();

  constructor(reader: RecordReader, clock: Clock = systemClock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /**
   * A table that is there.
   * @throws RpcError NOT_FOUND
   */
  get(tenant: string, name: string): ReplayTable {
    const table = this.#used(tenant, name);
    if (!table) throw new RpcError(status.NOT_FOUND, `there is no table ${name}: the first Sample makes it`);
    return table;
  }

  /**
   * The table of this name, made when it is not there.
   * @param options null takes it as it is
   * @param byDefault what a new table is like that nobody gave options for
   * @throws RpcError FAILED_PRECONDITION when it has other options, RESOURCE_EXHAUSTED when all tables are in use
   */
  ensure(
    tenant: string,
    name: string,
    given: { options: TableOptions | null; byDefault: TableOptions; resume: TableCheckpoint | null },
  ): ReplayTable {
    const { options, byDefault, resume } = given;
    const known = this.#used(tenant, name);
    if (known) {
      if (options && JSON.stringify(options) !== JSON.stringify(known.options))
        throw new RpcError(status.FAILED_PRECONDITION, `the table ${name} was made with other options`);
      return known;
    }
    this.#makeRoom(tenant);
    const table = new ReplayTable(tenant, options ?? byDefault, { reader: this.#reader, clock: this.#clock, resume });
    this.#tables.set(keyOf(tenant, name), table);
    return table;
  }

  /** The tables of a tenant by their names. */
  of(tenant: string): [string, ReplayTable][] {
    const prefix = keyOf(tenant, "");
    return [...this.#tables].flatMap(([key, table]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), table] as [string, ReplayTable]] : [],
    );
  }

  #used(tenant: string, name: string): ReplayTable | undefined {
    const key = keyOf(tenant, name);
    const table = this.#tables.get(key);
    if (!table) return;
    this.#tables.delete(key);
    this.#tables.set(key, table);
    return table;
  }

  #makeRoom(tenant: string): void {
    if (this.of(tenant).length >= tablesPerTenantMax) this.#drop(keyOf(tenant, ""));
    if (this.#tables.size >= tablesMax) this.#drop("");
  }

  #drop(prefix: string): void {
    const unused = [...this.#tables].find(([key, { samplers }]) => samplers === 0 && key.startsWith(prefix));
    if (!unused) throw new RpcError(status.RESOURCE_EXHAUSTED, "there are too many tables in use", neverRetry);
    this.#tables.delete(unused[0]);
  }
}

/** A tenant holds no `/`. */
const keyOf = (tenant: string, name: string): string => `${tenant}/${name}`;
