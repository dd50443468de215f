import type { Expression, Span } from "../../ir/ir.ts";
import { HtmlReader } from "../../templates/html-place.ts";
import { check } from "../check.ts";
import { original } from "../guards/address-parts.ts";
import type { Frame, Run } from "../run.ts";
import type { Taint, Value } from "../value.ts";

/** By these names models call text that was escaped for a page; behind each stands what the escaping leaves as it is. */
const escapedTexts: ReadonlyMap<string, string> = new Map([
  ["html-text", ""],
  ["html-text-but-apostrophes", "'"],
  ["html-text-but-quotes", "\"'"],
]);

/** Text whose quotes are escaped for a script, and its tags for nothing. */
export const jsonText = "json-text";

/** Text of which a program has taken these characters itself goes by these names. */
export const takenPath = (character: string): string => `taken:${character}`;
const takenTags = takenPath("<");

/** What rules call a value that was escaped for another place than the one it stands at. */
const sinkPath = "<escaped>";

/** A part of a text, and where it is written. */
export interface TextPart {
  readonly value: Value;
  readonly at: Expression;
}

/**
 * Text is put together of parts, the first of which begin it. Where the constant ones tell that an escaped one stands at a place of a page
 * at which escaping does not help, that is told here; what was only written as JSON is input again between tags.
 */
export function placedInPage(
  run: Run,
  frame: Frame,
  values: readonly Value[],
  written: readonly Expression[],
): readonly Value[] {
  if (!values.some(isEscaped)) return values;
  const html = new HtmlReader(false);
  let isMarkup = false;
  // Some languages have a part for each character that is written with a backslash; the reader looks ahead.
  let unread = "";
  return values.map((value, i) => {
    if (value.constants?.length === 1) {
      unread += String(value.constants[0]);
      return value;
    }
    html.read(unread);
    isMarkup ||= /<[a-z]/i.test(unread);
    unread = "";
    const placed = isEscaped(value)
      ? place(run, frame, { value, at: written[i] as Expression }, html, isMarkup)
      : value;
    html.fill();
    return placed;
  });
}

/** Whether anything is known about how a text was escaped. */
export const isEscaped = ({ taint, paths }: Value): boolean =>
  taint.length > 0 && paths.some((path) => escapedTexts.has(path) || path === jsonText || path === takenTags);

/** The quotes that the escaping of a text has left as they are. */
const quotesLeft = ({ paths }: Value): string =>
  paths.map((path) => escapedTexts.get(path) ?? "").join("") +
  (paths.includes(takenTags) ? ["'", '"'].filter((quote) => !paths.includes(takenPath(quote))).join("") : "");

/** A value as a template shows it: what is only written as JSON may end the script that it is shown in, and the template knows whether it escapes. */
export const shown = (run: Run, value: Value): Value =>
  value.taint.length > 0 && value.paths.includes(jsonText) ? unescaped(run, value) : value;

/** Tells of a part that stands where its escaping does not help, or takes back what it was not escaped for. */
function place(run: Run, frame: Frame, part: TextPart, html: HtmlReader, isMarkup: boolean): Value {
  const { value } = part;
  if (value.paths.includes(jsonText)) return isMarkup ? unescaped(run, value) : value;
  notePlace(run, frame, part, html);
  return value;
}

/** Tells of an escaped text at the place of a page that a reader has come to. */
export function notePlace(
  run: Run,
  frame: Frame,
  { value, at }: TextPart,
  { place, quote }: Pick<HtmlReader, "place" | "quote">,
): void {
  if (place === "text" || place === "none") return;
  if (value.paths.includes(jsonText) && place !== "script" && place !== "string") return;
  const isQuoted = place === "value" || (place === "string" && !value.paths.includes(jsonText));
  if (isQuoted && !quotesLeft(value).includes(quote)) return;
  const checks = run.knowledge.calls.find(sinkPath).checks;
  if (checks.length === 0 || (place === "url" && isAddress(run, frame, value, at))) return;
  const isBare = value.paths.includes(jsonText) ? isWritten : isOnlyEscaped;
  // What comes from elsewhere may begin with text that is written there.
  const isWhole = ({ source }: Taint) => place !== "url" || (source.parameter === null && source.outside === null);
  const taint = value.taint
    .filter((one) => isWhole(one) && isBare(run, one))
    .map((one) => ({ ...one, via: undefined }));
  if (taint.length === 0) return;
  check(run, frame, checks, { ...subjectAt(at), positional: [unescaped(run, { ...value, taint, slots: null })] });
}

/**
 * What was encoded for an address, or leads nowhere else, has no such characters, and what is not escaped is told where it is shown. The one
 * function of another file that a value has been through is the one that is called after escaping.
 */
function isOnlyEscaped({ catalogue }: Run, { clean, via }: Taint): boolean {
  if ((clean & catalogue.bitsOf(["open_redirect"])) !== 0) return false;
  return (clean & catalogue.bitsOf(["xss"])) !== 0 ? (via?.length ?? 0) === 0 : via?.length === 1;
}

/** What is not written as JSON is told where it is shown. */
const isWritten = ({ catalogue }: Run, { clean }: Taint): boolean => (clean & catalogue.bitsOf(["xss"])) !== 0;

const subjectAt = (at: Span) => ({ named: new Map(), receiver: null, receiverPaths: [], at, name: at });

const unescaped = (run: Run, value: Value): Value => {
  const xss = run.catalogue.bitsOf(["xss"]);
  return { ...value, taint: value.taint.map((taint): Taint => ({ ...taint, clean: taint.clean & ~xss })) };
};

/** UTF-16 units of a function in front of a text that are looked at for tests. */
const lookedBackMax = 4_000;

/** Whoever asks for the scheme knows that addresses may be scripts. */
const asksForScheme =
  /\b(protocol|scheme|PHP_URL_SCHEME|FILTER_VALIDATE_URL|getScheme|getProtocol|hasScheme)\b|(startsWith|startswith|HasPrefix|hasPrefix|start_with\?|str_starts_with|starts_with|strpos|stripos|indexOf|strncmp|strncasecmp)\W{1,3}[^\n]{0,60}['"`](https?\b|\/)|\^\(?(\?:)?(https?|\[a-z)|(is|valid|safe|check|sanitize|clean)_?(a_?|valid_?|safe_?|http_?|web_?)*(url|uri|link|href)/i;

/** Whether an address is known to be no script: it begins with text that is written out, or somebody has asked how it begins. */
function isAddress(run: Run, frame: Frame, value: Value, at: Expression): boolean {
  if (value.prefix || begins(frame, at)) return true;
  const from = Math.max(frame.fn?.start ?? 0, frame.statement.start - lookedBackMax);
  return asksForScheme.test(run.text.slice(from, at.end));
}

/** How many calls and variables may lie between an address and the text that it begins with. */
const originsMax = 4;

/** `escape("tel:" + number)`, also by way of variables. */
function begins(frame: Frame, written: Expression): boolean {
  let at = written;
  for (let depth = 0; depth < originsMax; depth++) {
    at = original(frame, at);
    const [first] = at.kind === "template" ? at.parts : at.kind === "operation" ? at.operands : [];
    if (first) return first.kind === "literal" && typeof first.value === "string" && first.value !== "";
    const inner = at.kind === "call" ? at.args[0]?.value : undefined;
    if (!inner) return false;
    at = inner;
  }
  return false;
}
