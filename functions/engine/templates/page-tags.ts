import type { Span } from "../ir/ir.ts";
import type { TemplateScope } from "./template-scope.ts";

/** Tags of Java's pages stand inside markup. Their length is bounded, so that a page without ends costs no time. */
const setTag = /<c:(?:set|forEach|forTokens)\b[^<>]{0,500}>/g;
const outTag = /<c:out\b[^<>]{0,500}>/g;
const includeTag = /<(?:jsp:include\b[^<>]{0,200}?\bpage|%@\s*include\s+file)\s*=\s*["']([^"'<>]{1,200})["']/g;

/** Reads what the standard tags of JSP bind, show and include. */
export function readStandardTags(scope: TemplateScope): void {
  for (const { 0: tag, index } of scope.text.matchAll(setTag)) {
    const name = tag.match(/\bvar\s*=\s*["'](\w+)/)?.[1];
    const value = expressionIn(tag, /\b(?:value|items)\s*=\s*["'][$#]\{([^{}]*)\}/, index);
    if (name && value) scope.bind(name, scope.reads(value));
  }
  for (const { 0: tag, index } of scope.text.matchAll(outTag)) {
    const value = expressionIn(tag, /\bvalue\s*=\s*["'][$#]\{([^{}]*)\}/, index);
    if (value && /\bescapeXml\s*=\s*["']false/.test(tag))
      scope.output(scope.reads(value), { start: index, end: index + tag.length }, true, "text");
  }
  for (const { 0: tag, 1: name, index } of scope.text.matchAll(includeTag))
    scope.include(name as string, { start: index, end: index + tag.length });
}

const thymeleaf =
  /\s(?:data-)?th:(utext|each|with|href|src|action|replace|insert|include)\s*=\s*("[^"]{0,500}"|'[^']{0,500}')/g;
const inlined = /\[\(\$\{([^{}]{0,500})\}\)\]/g;
/** What this gives becomes a part of the expression around it, which is evaluated after that. */
const preprocessed = /__[$*]\{([^{}]{0,500})\}__/g;

/** Reads the attributes and inlined outputs of Thymeleaf. */
export function readThymeleaf(scope: TemplateScope): void {
  for (const { 0: all, 1: name, 2: written = "", index } of scope.text.matchAll(thymeleaf)) {
    const at = { start: index + 1, end: index + all.length };
    const from = index + all.length - written.length + 1;
    const value = { start: from, end: from + written.length - 2 };
    const inner = expressionIn(written, /[$*]\{([^{}]*)\}/, from - 1);
    if (name === "utext") scope.output(inner ? scope.reads(inner) : [], at, true, "text");
    else if (name === "each" || name === "with") {
      const bound = written.match(/(\w+)\s*[:=,]/)?.[1];
      if (bound && inner) scope.bind(bound, scope.reads(inner));
    } else if (name === "href" || name === "src" || name === "action") {
      // `@{...}` makes an address of the application; only one that begins with the value goes where the value says.
      if (/^["']\s*(\$\{|@\{\s*\$\{)/.test(written) && inner && name !== "src")
        scope.output(scope.reads(inner), at, false, "url");
    } else {
      const part = scope.text.slice(value.start, value.end).match(/^\s*(?:~\{)?\s*([\w/.-]+)\s*(?:::|\}|$)/)?.[1];
      if (part) scope.include(part, at);
    }
  }
  for (const { 0: all, 1: inner = "", index } of scope.text.matchAll(preprocessed)) {
    const start = index + "__${".length;
    scope.output(
      scope.reads({ start, end: start + inner.length }),
      { start: index, end: index + all.length },
      false,
      "expression",
    );
  }
  for (const { 0: all, 1: inner = "", index } of scope.text.matchAll(inlined)) {
    const start = index + all.indexOf(inner);
    scope.output(
      scope.reads({ start, end: start + inner.length }),
      { start: index, end: index + all.length },
      true,
      "text",
    );
  }
}

const componentTag = /<x-([a-z][\w.-]{0,99})(?![\w.:-])/g;
/** A component is handed values, where a colon says that they are no text: `:title="$order->title"`. */
const handed = /\s:([\w-]{1,60})\s*=\s*("[^"]{0,300}"|'[^']{0,300}')/g;
/** Longer tags are cut off: a tag that nobody has closed costs no time. */
const componentMax = 2_000;

/** Reads which components a stretch of Blade is made of, `<x-forms.input :label="$label" />`, and what it hands them. */
export function readComponents(scope: TemplateScope, { start, end }: Span): void {
  for (const { 0: tag, 1: name, index } of scope.text.slice(start, end).matchAll(componentTag)) {
    const at = { start: start + index, end: start + index + tag.length };
    if (name === "slot") continue;
    const rest = scope.text.slice(at.end, at.end + componentMax);
    const attributes = rest.slice(0, endOfTag(rest));
    const given = [...attributes.matchAll(handed)].map(({ 0: all, 1: key = "", 2: written = "", index: from }) => {
      const value = at.end + from + all.length - written.length;
      const named = key.replace(/-+(\w)/g, (_, first: string) => first.toUpperCase());
      return [named, scope.reads({ start: value + 1, end: value + written.length - 1 })] as const;
    });
    scope.component(`components.${name}`, at, new Map(given));
  }
}

/** Where a tag ends; arrows in its values do not end it. */
function endOfTag(text: string): number {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (quote) quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return i;
  }
  return text.length;
}

function expressionIn(text: string, pattern: RegExp, offset: number): Span | null {
  const [start, end] = text.match(new RegExp(pattern.source, "d"))?.indices?.[1] ?? [-1, -1];
  return start < 0 ? null : { start: offset + start, end: offset + end };
}
