import type { LinkRecord } from "../artefact.ts";

/** More would be a file that a program has written. */
const tablesMax = 60;
/** The prefix of all tables of an application may be put in front of a name. */
const name = String.raw`[\x60"'\[]?(?:\{?\$[\w>\['\]-]+\}?(?:["']\s*\.\s*["'])?\.?)?(\w+)`;
const read = new RegExp(String.raw`\b(?:from|join)\s+${name}`, "gi");
/** Only what variables or placeholders are written into: fixed rows are the application's own. */
const written = new RegExp(
  String.raw`\b(?:insert\s+(?:ignore\s+)?into|replace\s+into|update)\s+${name}[^;]{0,200}?[=(,]['"\s.]{0,100}[$?:{+]`,
  "gi",
);

/** The tables that the SQL in a file reads, and those that it writes values into which the file does not fix. */
export function tablesOf(text: string): Pick<LinkRecord, "tables"> {
  const tables = { read: namesIn(text, read), written: namesIn(text, written) };
  return tables.read.length + tables.written.length === 0 ? {} : { tables };
}

const namesIn = (text: string, statement: RegExp): string[] =>
  [...new Set(text.matchAll(statement).map(([, table]) => table?.toLowerCase() ?? ""))].sort().slice(0, tablesMax);
