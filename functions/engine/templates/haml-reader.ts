import type { Span } from "../ir/ir.ts";
import type { TimeLimit } from "../time-limit.ts";
import { readCode, readIncluded } from "./statements.ts";
import type { TemplateScope } from "./template-scope.ts";

/** Attributes of people are shorter. */
const attributesMax = 2_000;

/** How a line goes on behind its tag: what it shows, and whether it escapes it. */
const haml = { shown: /^(!=|!~|&=|&~|=|~)\s*/, raw: /^!/, text: /^[!&]?\s+/ };
const slim = { shown: /^(==|=)[<>']*\s*/, raw: /^==/, text: /^\s+/ };

const opening: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/**
 * Reads a page of Haml or Slim line by line. Where an output stands is not told: it counts as text of the page, in which escaping helps.
 * @throws TimeUp
 */
export function readHaml(scope: TemplateScope, format: "haml" | "slim", limit: TimeLimit): void {
  const { text } = scope;
  let hidden: number | null = null;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    limit.check(1 + ((end - at) >> 1));
    const start = at + (text.slice(at, end).match(/^[ \t]*/)?.[0].length ?? 0);
    const depth = start - at;
    at = end + 1;
    if (start >= end || (hidden !== null && depth > hidden)) continue;
    // Filters, scripts and comments: what is deeper is of another language.
    hidden = isOther(text.slice(start, end)) ? depth : null;
    if (hidden === null) readLine(scope, format, { start, end });
  }
}

const isOther = (line: string): boolean =>
  /^(-#|\/|:\w+|(javascript|css|scss|sass|coffee|markdown|ruby):\s*$)/.test(line);

function readLine(scope: TemplateScope, format: "haml" | "slim", line: Span): void {
  const { text } = scope;
  const marks = format === "haml" ? haml : slim;
  if (text[line.start] === "-") {
    const inner = { start: line.start + 1, end: line.end };
    readCode(scope, { kind: "code", ...inner, inner });
    return;
  }
  const start = format === "haml" ? behindHamlTag(text, line) : behindSlimTag(text, line);
  const rest = text.slice(start, line.end);
  const shown = rest.match(marks.shown)?.[0];
  if (shown !== undefined) {
    const inner = { start: start + shown.length, end: line.end };
    if (/\bdo\b[^"']{0,200}$/.test(rest)) readCode(scope, { kind: "code", ...inner, inner });
    else if (!readIncluded(scope, inner))
      scope.output(scope.reads(inner), { start, end: line.end }, marks.raw.test(rest));
    return;
  }
  const raw = rest.startsWith("!");
  for (const filled of rest.matchAll(/#\{([^{}]{1,500})\}/g)) {
    const from = start + filled.index;
    const inner = { start: from + 2, end: from + filled[0].length - 1 };
    scope.output(scope.reads(inner), { start: from, end: from + filled[0].length }, raw);
  }
}

/** `%a.wide#top{ href: "#" }(title="x")[item]` */
function behindHamlTag(text: string, { start, end }: Span): number {
  const tag = text.slice(start, end).match(/^(%[\w:-]+)?([.#][\w:-]+)*/)?.[0] ?? "";
  if (tag === "") return start;
  let at = start + tag.length;
  while (opening[text[at] ?? ""] && at < end) {
    const closed = closedAt(text, at, end);
    if (closed < 0) return end;
    at = closed;
  }
  return at + (text.slice(at, end).match(/^[<>/]*/)?.[0].length ?? 0);
}

/** `a.wide href="#" title="x"`: an attribute has no space around its sign. */
const slimTag = /^([a-z][\w-]*)?([.#][\w-]+)*[<>]{0,2}(\s+[\w:@-]+==?("[^"]*"|'[^']*'|[^\s"']+))*\s*/;

function behindSlimTag(text: string, { start, end }: Span): number {
  const line = text.slice(start, Math.min(end, start + attributesMax));
  if (/^[|'=<]/.test(line)) return start + (/^[|']/.test(line) ? 1 : 0);
  return start + (line.match(slimTag)?.[0].length ?? 0);
}

function closedAt(text: string, from: number, end: number): number {
  const open: string[] = [];
  for (let i = from; i < Math.min(end, from + attributesMax); i++) {
    const char = text[i] as string;
    const close = opening[char];
    if (close) open.push(close);
    else if (char === open.at(-1) && open.pop() && open.length === 0) return i + 1;
  }
  return -1;
}
