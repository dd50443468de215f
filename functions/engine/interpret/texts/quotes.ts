import { escaped } from "../../catalogue/catalogue.ts";
import type { Passage } from "../guards/passage.ts";
import type { Run } from "../run.ts";
import type { Taint, Value } from "../value.ts";

/** Where SQL expects a value, a name or a number, and no quote has been opened. */
const bare = /(?:[=<>(,+-]|\b(?:like|in|by|limit|offset|and|or|not|between|from|into|where|set|values|select))\s*$/i;

/**
 * Text made safe for the inside of quotes is not safe outside of them: `"id = " . escape($id)` lets anything follow. Of the parts of a
 * text, those that stand bare in SQL lose what the escaping had earned them; those in quotes are safe wherever the text goes.
 */
export function outsideQuotes(run: Run, parts: readonly Value[]): readonly Value[] {
  if (!parts.some((part) => part.taint.some(({ clean, via }) => via || (clean & escaped) !== 0))) return parts;
  const sql = run.catalogue.bitsOf(["sql_injection"]);
  let before = "";
  return parts.map((part) => {
    const text = part.constants?.length === 1 ? String(part.constants[0]) : null;
    const stands = text !== null ? "known" : isOpen(before) ? "quoted" : bare.test(before) ? "bare" : "elsewhere";
    before += text ?? "?";
    if (stands !== "quoted" && stands !== "bare") return part;
    const lost = stands === "quoted" ? escaped : sql;
    const own = part.taint.map((t) => ((t.clean & escaped) !== 0 ? { ...t, clean: t.clean & ~lost } : t));
    return { ...part, taint: stands === "bare" ? own.map(asBare) : own };
  });
}

/** What a function of another file has escaped linking knows. */
const asBare = (taint: Taint): Taint =>
  taint.via?.some(isUnmarked)
    ? { ...taint, via: taint.via.map((passage) => (isUnmarked(passage) ? { ...passage, bare: true } : passage)) }
    : taint;

const isUnmarked = ({ check, bare }: Passage): boolean => check === "result" && !bare;

const isOpen = (text: string): boolean => ["'", '"', "`"].some((quote) => (text.split(quote).length - 1) % 2 === 1);
