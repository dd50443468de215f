import type { Candidate, FileArtefact, FunctionPlace, LinkRecord } from "../artefact.ts";
import type { LineIndex } from "../inventory/line-index.ts";

/** More would be a file that a program has written. */
const tablesMax = 60;
const readsMax = 300;
/** The prefix of all tables of an application may be put in front of a name. */
const name = String.raw`[\x60"'\[]?(?:\{?\$[\w>\['\]-]+\}?(?:["']\s*\.\s*["'])?\.?)?(\w+)\b`;
const read = new RegExp(String.raw`\b(?:from|join)\s+${name}`, "gi");
/** Only what variables or placeholders are written into: fixed rows are the application's own. */
const written = new RegExp(
  String.raw`\b(?:insert\s+(?:ignore\s+)?into|replace\s+into|update)\s+${name}[^;]{0,200}?[=(,]['"\s.]{0,100}[$?:{+]`,
  "gi",
);

/** The tables that the SQL in a file reads, and where, and those that it writes values into which the file does not fix. */
export function tablesOf(text: string, lines: LineIndex): Pick<LinkRecord, "tables"> {
  const reads = [...text.matchAll(read)]
    .slice(0, readsMax)
    .map((found) => ({ table: tableIn(found), line: lines.place(found.index, found.index).startLine }));
  const tables = {
    read: reads.filter(({ table, line }, i) => !reads.slice(0, i).some((r) => r.table === table && r.line === line)),
    written: [...new Set([...text.matchAll(written)].map(tableIn))].sort().slice(0, tablesMax),
  };
  return tables.read.length + tables.written.length === 0 ? {} : { tables };
}

const tableIn = ([, table]: RegExpMatchArray): string => table?.toLowerCase() ?? "";

/** Whether rows of the database may hold what somebody has sent: the application writes such values into one of the tables they are from. */
export class FilledTables {
  readonly #written: ReadonlySet<string>;
  readonly #files: ReadonlyMap<string, FileArtefact>;

  constructor(artefacts: readonly FileArtefact[]) {
    this.#written = new Set(artefacts.flatMap(({ link }) => link.tables?.written ?? []));
    this.#files = new Map(artefacts.map((artefact) => [artefact.coverage.path, artefact]));
  }

  /** Rows come from a table that the function around the place reads, or the file where that has no query of its own. */
  holdInput(path: string, { trace: [row] }: Pick<Candidate, "trace">): boolean {
    const { link, functions = [] } = this.#files.get(path) ?? {};
    const reads = link?.tables?.read ?? [];
    const around = row && innermost(functions, row.startLine);
    const near = reads.filter(({ line }) => around && around.startLine <= line && line <= around.endLine);
    return (near.length > 0 ? near : reads).some(({ table }) => this.#written.has(table));
  }
}

const innermost = (functions: readonly FunctionPlace[], line: number): FunctionPlace | undefined =>
  functions
    .filter(({ startLine, endLine }) => startLine <= line && line <= endLine)
    .toSorted((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine))[0];
