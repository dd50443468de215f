import type { Call, Expression } from "../ir/ir.ts";
import { pathText } from "./registration.ts";

/** Longer statements are not read to the end. */
const textMax = 2000;
const isStatement = /^\s*(select|update|delete|insert|replace)\b/i;
const table = /\b(?:from|update|into)\s+["`[]?([\w.]{1,60})/i;
const condition =
  /([\w.]{1,60})["`\]]?\s{0,3}(=|<>|!=|<=?|>=?|\bi?like\b|\bin\b)\s{0,3}\(?\s{0,3}(?:\?|\$\d|:\w|@\w|%s)/gi;

/** A text of SQL in a call, or in one that its chain goes on from, with what it is given for its placeholders. */
interface Statement {
  text: string;
  values: Expression[];
}

/** The table that the statement in a call is about. */
export function tableOf(call: Call): string | null {
  const own = statementIn(call);
  return own && isStatement.test(own.text) ? (own.text.match(table)?.[1] ?? null) : null;
}

/** The columns that choose records: of the statement in a call, or of the conditions in a chain such as `db.Where("id = ?", id).First(&order)`. */
export function conditionsIn(call: Call): { key: string; value: Expression }[] {
  const found: { key: string; value: Expression }[] = [];
  for (let here: Expression = call; here.kind === "call"; ) {
    const own = statementIn(here);
    if (own) found.push(...comparisons(own));
    here = here.callee.kind === "field" ? here.callee.of : here.callee;
  }
  return found;
}

function statementIn({ args }: Call): Statement | null {
  const at = args.findIndex(({ value }) => typeof pathText(value) === "string");
  const text = pathText(args[at]?.value)?.slice(0, textMax);
  if (text === undefined) return null;
  const values = args
    .slice(at + 1)
    .flatMap(({ value }) => (value.kind === "collection" ? value.entries.map((entry) => entry.value) : [value]));
  return { text, values };
}

/** Only what is compared for equality chooses; what else is compared has a key that names no identifier. */
function comparisons({ text, values }: Statement): { key: string; value: Expression }[] {
  const where = isStatement.test(text) ? (text.split(/\bwhere\b/i)[1] ?? "") : text;
  const all = [...where.matchAll(condition)];
  return all.flatMap(([, column = "", operator], i) => {
    const value = values[values.length - all.length + i];
    const key = operator === "=" ? column.slice(column.lastIndexOf(".") + 1) : "?";
    return value ? [{ key, value }] : [];
  });
}
