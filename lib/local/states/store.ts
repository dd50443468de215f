import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Definition } from "./definition.ts";
import type { JsonText } from "./failure.ts";
import type { Execution, Frame, HistoryEvent, Machine, MapRun, Status, TokenRow } from "./records.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS definitions (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS machines (
    arn TEXT PRIMARY KEY, name TEXT NOT NULL, roleArn TEXT NOT NULL, type TEXT NOT NULL, definition TEXT NOT NULL,
    createdAt INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, arn TEXT NOT NULL UNIQUE, name TEXT NOT NULL, machine TEXT NOT NULL,
    type TEXT NOT NULL, definition TEXT NOT NULL, roleArn TEXT NOT NULL, mapRun INTEGER, items INTEGER NOT NULL,
    status TEXT NOT NULL, input TEXT NOT NULL, output TEXT, error TEXT, cause TEXT, startedAt INTEGER, stoppedAt INTEGER,
    redrives INTEGER NOT NULL DEFAULT 0, redrivenAt INTEGER, announced TEXT, owner INTEGER, ownerPath TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS executionsByMachine ON executions (machine, id) WHERE mapRun IS NULL;
  CREATE INDEX IF NOT EXISTS executionsByMapRun ON executions (mapRun, status, id) WHERE mapRun IS NOT NULL;
  CREATE INDEX IF NOT EXISTS executionsInMapRun ON executions (mapRun, id) WHERE mapRun IS NOT NULL;
  CREATE INDEX IF NOT EXISTS executionsOpen ON executions (status) WHERE status = 'RUNNING';
  CREATE INDEX IF NOT EXISTS executionsByOwner ON executions (owner) WHERE owner IS NOT NULL;
  CREATE TABLE IF NOT EXISTS frames (
    execution INTEGER NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, input TEXT NOT NULL, variables TEXT NOT NULL,
    enteredAt INTEGER NOT NULL, progress TEXT NOT NULL, lastEvent INTEGER NOT NULL, map TEXT, output TEXT,
    PRIMARY KEY (execution, path)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS events (
    execution INTEGER NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, previous INTEGER NOT NULL,
    details TEXT NOT NULL, PRIMARY KEY (execution, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mapRuns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, arn TEXT NOT NULL UNIQUE, execution INTEGER NOT NULL, path TEXT NOT NULL,
    status TEXT NOT NULL, listed INTEGER NOT NULL, config TEXT NOT NULL, startedAt INTEGER NOT NULL, stoppedAt INTEGER,
    redrives INTEGER NOT NULL DEFAULT 0, redrivenAt INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS mapRunsByExecution ON mapRuns (execution, id);
  CREATE TABLE IF NOT EXISTS tokens (
    token TEXT PRIMARY KEY, execution INTEGER NOT NULL, path TEXT NOT NULL, outcome TEXT, heartbeatAt INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tokensByExecution ON tokens (execution, path);
`;

/**
 * Everything that an execution is, on disk. Transitions commit to the write-ahead log without waiting for the disk
 * (synchronous NORMAL): after kill -9 the log is whole, and after a power cut an execution goes on from a slightly
 * earlier state, which idempotent tasks allow. What a caller has been told (an execution started, stopped or finished,
 * a task token answered) commits with FULL, which also syncs everything written before it.
 */
export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #definitions = new Map<string, Definition>();
  #depth = 0;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#db = new DatabaseSync(join(folder, "states.sqlite"));
    this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;");
    this.#db.exec(schema);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /** All or nothing; a transaction within one joins it. Synchronous, so nothing runs in between. */
  transaction<T>(work: () => T, durability: "NORMAL" | "FULL" = "NORMAL"): T {
    if (this.#depth > 0) return work();
    if (durability === "FULL") this.#db.exec("PRAGMA synchronous = FULL");
    this.#run("BEGIN IMMEDIATE");
    this.#depth += 1;
    try {
      const result = work();
      this.#run("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#run("ROLLBACK");
      throw error;
    } finally {
      this.#depth -= 1;
      if (durability === "FULL") this.#db.exec("PRAGMA synchronous = NORMAL");
    }
  }

  putDefinition(definition: Definition): string {
    const body = JSON.stringify(definition);
    const hash = createHash("sha256").update(body).digest("hex");
    this.#run("INSERT OR IGNORE INTO definitions VALUES (?, ?)", hash, body);
    return hash;
  }

  definition(hash: string): Definition {
    const known = this.#definitions.get(hash);
    if (known) return known;
    const row = this.#get<{ body: string }>("SELECT body FROM definitions WHERE hash = ?", hash);
    const definition = JSON.parse((row as { body: string }).body) as Definition;
    this.#definitions.set(hash, definition);
    return definition;
  }

  putMachine(machine: Machine): void {
    this.#run(
      `INSERT INTO machines VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (arn) DO UPDATE SET roleArn = excluded.roleArn, definition = excluded.definition`,
      ...[machine.arn, machine.name, machine.roleArn, machine.type, machine.definition, machine.createdAt],
    );
  }

  machine(arn: string): Machine | undefined {
    return this.#get<Machine>("SELECT * FROM machines WHERE arn = ?", arn);
  }

  addExecution(execution: Omit<Execution, "id" | "redrives" | "redrivenAt" | "announced">): Execution {
    const id = this.#run(
      `INSERT INTO executions (arn, name, machine, type, definition, roleArn, mapRun, items, status, input, output, error,
         cause, startedAt, stoppedAt, owner, ownerPath) VALUES (${"?, ".repeat(16)}?)`,
      ...[execution.arn, execution.name, execution.machine, execution.type, execution.definition, execution.roleArn],
      ...[execution.mapRun, execution.items, execution.status, execution.input, execution.output, execution.error],
      ...[execution.cause, execution.startedAt, execution.stoppedAt, execution.owner, execution.ownerPath],
    );
    return { ...execution, id, redrives: 0, redrivenAt: null, announced: null };
  }

  execution(key: number | string): Execution | undefined {
    const column = typeof key === "number" ? "id" : "arn";
    return this.#get<Execution>(`SELECT * FROM executions WHERE ${column} = ?`, key);
  }

  /** Sets the named columns. */
  updateExecution(id: number, changes: Partial<Execution>): void {
    this.#update("executions", id, changes);
  }

  openExecutions(): Execution[] {
    return this.#all<Execution>("SELECT * FROM executions WHERE status = 'RUNNING' AND mapRun IS NULL");
  }

  unannounced(): Execution[] {
    return this.#all<Execution>(
      "SELECT * FROM executions WHERE mapRun IS NULL AND type = 'STANDARD' AND announced IS NOT status",
    );
  }

  /** Newest first, before the execution `before`. */
  listExecutions(filter: { machine?: string; mapRun?: number; status?: string }, before: number, limit: number) {
    const scope = filter.machine === undefined ? "mapRun = ?" : "machine = ? AND mapRun IS NULL";
    const status = filter.status === undefined ? "status <> 'PENDING' AND ? IS NULL" : "status = ?";
    return this.#all<Execution>(
      `SELECT * FROM executions WHERE ${scope} AND ${status} AND id < ? ORDER BY id DESC LIMIT ?`,
      ...[filter.machine ?? filter.mapRun ?? null, filter.status ?? null, before, limit],
    );
  }

  /**
   * Children of a Map Run, of one status or of all, in the order of their items. They are read a page at a time, so
   * their status may change meanwhile, and memory holds only a few inputs of up to 256 KiB.
   */
  *children(mapRun: number, status: Status | null): Generator<Execution> {
    const filter = status === null ? "? IS NULL" : "status = ?";
    const sql = `SELECT * FROM executions WHERE mapRun = ? AND ${filter} AND id > ? ORDER BY id LIMIT 25`;
    for (let after = 0; ; ) {
      const page = this.#all<Execution>(sql, mapRun, status, after);
      yield* page;
      if (page.length === 0) return;
      after = (page.at(-1) as Execution).id;
    }
  }

  countChildren(mapRun: number): { status: Status; executions: number; items: number }[] {
    return this.#all(
      "SELECT status, count(*) AS executions, sum(items) AS items FROM executions WHERE mapRun = ? GROUP BY status",
      mapRun,
    );
  }

  deleteChildren(mapRun: number): void {
    this.#run("DELETE FROM executions WHERE mapRun = ?", mapRun);
  }

  ownedBy(execution: number, path: string): Execution[] {
    const rows = this.#all<Execution>("SELECT * FROM executions WHERE owner = ? AND status = 'RUNNING'", execution);
    return rows.filter((row) => isWithin(row.ownerPath as string, path));
  }

  saveFrame(execution: number, frame: Frame): void {
    this.#run(
      "INSERT OR REPLACE INTO frames VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[execution, frame.path, frame.state, frame.input, frame.variables, frame.enteredAt],
      ...[JSON.stringify(frame.progress), frame.lastEvent, frame.map, frame.output],
    );
  }

  frame(execution: number, path: string): Frame | undefined {
    const row = this.#get<FrameRow>("SELECT * FROM frames WHERE execution = ? AND path = ?", execution, path);
    return row && frameOf(row);
  }

  frames(execution: number): Frame[] {
    return this.#all<FrameRow>("SELECT * FROM frames WHERE execution = ?", execution).map(frameOf);
  }

  /** Deletes what a state leaves behind: the frames below `path`, and task tokens there and below. */
  clearState(execution: number, path: string): void {
    // "0" follows "/" in ASCII: the range holds exactly the paths that begin with path + "/".
    const below = [`${path}/`, `${path}0`];
    this.#run("DELETE FROM frames WHERE execution = ? AND path > ? AND path < ?", execution, ...below);
    this.#run("DELETE FROM tokens WHERE execution = ? AND path = ?", execution, path);
    this.#run("DELETE FROM tokens WHERE execution = ? AND path > ? AND path < ?", execution, ...below);
  }

  /** Deletes all positions of an execution. */
  clearExecution(execution: number): void {
    this.#run("DELETE FROM frames WHERE execution = ?", execution);
    this.clearTokens(execution);
  }

  clearTokens(execution: number): void {
    this.#run("DELETE FROM tokens WHERE execution = ?", execution);
  }

  addEvent(execution: number, event: HistoryEvent): void {
    this.#run(
      "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)",
      ...[execution, event.id, event.at, event.type, event.previous, event.details],
    );
  }

  lastEventId(execution: number): number {
    return this.#get<{ id: number }>("SELECT ifnull(max(id), 0) AS id FROM events WHERE execution = ?", execution)
      ?.id as number;
  }

  events(execution: number, order: "ASC" | "DESC", after: number, limit: number): HistoryEvent[] {
    const beyond = order === "ASC" ? "id > ?" : "id < ?";
    return this.#all<HistoryEvent>(
      `SELECT * FROM events WHERE execution = ? AND ${beyond} ORDER BY id ${order} LIMIT ?`,
      ...[execution, after, limit],
    );
  }

  addMapRun(mapRun: Pick<MapRun, "arn" | "execution" | "path" | "config" | "startedAt">): MapRun {
    const id = this.#run(
      `INSERT INTO mapRuns (arn, execution, path, status, listed, config, startedAt) VALUES (?, ?, ?, 'RUNNING', 0, ?, ?)`,
      ...[mapRun.arn, mapRun.execution, mapRun.path, mapRun.config, mapRun.startedAt],
    );
    return { ...mapRun, id, status: "RUNNING", listed: 0, stoppedAt: null, redrives: 0, redrivenAt: null };
  }

  mapRun(key: number | string): MapRun | undefined {
    return this.#get<MapRun>(`SELECT * FROM mapRuns WHERE ${typeof key === "number" ? "id" : "arn"} = ?`, key);
  }

  updateMapRun(id: number, changes: Partial<MapRun>): void {
    this.#update("mapRuns", id, changes);
  }

  listMapRuns(execution: number, before: number, limit: number): MapRun[] {
    return this.#all<MapRun>(
      "SELECT * FROM mapRuns WHERE execution = ? AND id < ? ORDER BY id DESC LIMIT ?",
      ...[execution, before, limit],
    );
  }

  openMapRuns(execution: number, path: string): MapRun[] {
    const rows = this.#all<MapRun>("SELECT * FROM mapRuns WHERE execution = ? AND status = 'RUNNING'", execution);
    return rows.filter((row) => isWithin(row.path, path));
  }

  addToken(token: string, execution: number, path: string, at: number): void {
    this.#run("INSERT INTO tokens VALUES (?, ?, ?, NULL, ?)", token, execution, path, at);
  }

  token(token: string): TokenRow | undefined {
    return this.#get<TokenRow>("SELECT * FROM tokens WHERE token = ?", token);
  }

  answerToken(token: string, outcome: JsonText): void {
    this.#run("UPDATE tokens SET outcome = ? WHERE token = ?", outcome, token);
  }

  beatToken(token: string, at: number): void {
    this.#run("UPDATE tokens SET heartbeatAt = ? WHERE token = ?", at, token);
  }

  /** Forgets executions that closed before `at`, with all that belongs to them. */
  forgetClosedBefore(at: number): void {
    this.transaction(() => {
      this.#run("DELETE FROM executions WHERE mapRun IS NULL AND stoppedAt < ? AND status <> 'RUNNING'", at);
      this.#run("DELETE FROM mapRuns WHERE execution NOT IN (SELECT id FROM executions)");
      this.#run("DELETE FROM executions WHERE mapRun IS NOT NULL AND mapRun NOT IN (SELECT id FROM mapRuns)");
      for (const table of ["frames", "events", "tokens"])
        this.#run(`DELETE FROM ${table} WHERE execution NOT IN (SELECT id FROM executions)`);
    });
  }

  #update(table: "executions" | "mapRuns", id: number, changes: object): void {
    const columns = Object.keys(changes);
    const assignments = columns.map((column) => `${column} = ?`).join();
    this.#run(`UPDATE ${table} SET ${assignments} WHERE id = ?`, ...Object.values(changes), id);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  #get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  #all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }
}

const isWithin = (path: string, ancestor: string): boolean => path === ancestor || path.startsWith(`${ancestor}/`);

type FrameRow = Omit<Frame, "progress"> & { readonly progress: string };

const frameOf = (row: FrameRow): Frame => ({ ...row, progress: JSON.parse(row.progress) });
