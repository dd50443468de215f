import { deepName, ellipsisName, isSuperglobal, metavariableStandIn, restStandIn } from "./placeholders.ts";

/** A pattern made parseable, and what the pattern itself lies in. */
export interface ParseableText {
  readonly text: string;
  readonly within: "top" | "body" | "annotated";
}

/** How an ellipsis is written where the grammar wants a list element, and where it wants a statement or member. */
interface Spelling {
  readonly listed: string;
  readonly braced: string;
}

const E = ellipsisName;
const spellings: Record<string, readonly Spelling[]> = {
  javascript: [
    { listed: E, braced: `${E};` },
    { listed: E, braced: E },
  ],
  java: [
    { listed: E, braced: `${E};` },
    { listed: `${E} ${E}`, braced: `${E};` },
    { listed: `${E} ${E}`, braced: `int ${E};` },
    { listed: E, braced: `int ${E};` },
    // Arguments of an annotation are one value, or pairs.
    { listed: `${E} = ${E}`, braced: `${E};` },
    { listed: E, braced: E },
  ],
  python: [
    { listed: E, braced: `${E}: ${E}` },
    { listed: E, braced: E },
  ],
  php: [
    { listed: `$${E}`, braced: `$${E};` },
    { listed: `$${E}`, braced: `public $${E};` },
  ],
  go: [{ listed: E, braced: E }],
};

/** Declared types asked for by `(String $X)` or `($X : string)`. */
export type TypedNames = ReadonlyMap<string, string>;

/** The ways to write a pattern so that its grammar may take it, the likeliest first. */
export function parseableTexts(pattern: string, grammar: string): { texts: ParseableText[]; types: TypedNames } {
  const language = grammar === "typescript" || grammar === "tsx" ? "javascript" : grammar;
  const types = new Map<string, string>();
  const untyped = withoutTypes(pattern.trim(), language, types);
  const written = language === "java" ? withParameterTypes(untyped) : untyped;
  const spelled = (spellings[language] ?? []).map((spelling) =>
    frames(substitute(written, language, spelling), language),
  );
  // A brace at the beginning opens an object far more often than a block that stands alone.
  const firsts = pattern.startsWith("{") ? spelled.flatMap((ways) => ways.slice(0, 1)) : [];
  return { texts: [...firsts, ...spelled.flat()], types };
}

/** The parameters of a Java method have types, which a pattern may leave out: `f(..., $P)`. */
function withParameterTypes(pattern: string): string {
  const typed = (parameter: string): string => {
    if (parameter === "...") return `${E} ${E}`;
    return /^\$[A-Z_][A-Z0-9_]*$/.test(parameter) ? `$_ ${parameter}` : parameter;
  };
  return pattern.replace(methodHead, (whole, before: string, name: string, list: string, after: string) =>
    before === "new" || /^(if|for|while|switch|catch|synchronized|try)$/.test(name)
      ? whole
      : `${before} ${name}(${list
          .split(/,(?![^()]*\))/)
          .map((parameter) => typed(parameter.trim()))
          .join(", ")})${after}`,
  );
}

/** Annotations of parameters have brackets of their own. */
const methodHead = /(?<![\w$\]>])([\w$\]>]+)\s+([\w$]+)\s*\(((?:[^()]|\([^()]*\))*)\)(\s*(?:throws[^{]*)?\{)/g;

function frames(text: string, language: string): ParseableText[] {
  const top = (framed: string): ParseableText => ({ text: framed, within: "top" });
  const inClass = (framed: string): ParseableText => ({ text: framed, within: "body" });
  if (language === "javascript") {
    const plain = text.startsWith("{") ? [top(`(${text})`), top(text)] : [top(text)];
    return [...plain, inClass(`class A { ${text} }`)];
  }
  if (language === "java")
    return [
      top(text),
      top(`${text};`),
      inClass(`class A { ${text} }`),
      inClass(`class A { ${text}; }`),
      { text: `${text} class A {}`, within: "annotated" },
    ];
  if (language === "php") return [top(`<?php ${text}`), top(`<?php ${text};`), inClass(`<?php class A { ${text} }`)];
  // Outside of functions Go reads `a.B(c)` as a conversion to a type.
  if (language === "go") return [{ text: `func f() {\n${text}\n}`, within: "body" }, top(text)];
  return [top(text)];
}

const typedBefore =
  /^\(\s*((?:[a-z_]\w*\.)*[A-Z][\w.]*(?:<[\w.$?, <>]*>)?(?:\[\])?|(?:int|long|boolean|char|byte|short|double|float)(?:\[\])?)\s+(\$[A-Z_][A-Z0-9_]*)\s*\)/;
const typedAfter = /^\(\s*(\$[A-Z_][A-Z0-9_]*)\s*:\s*([\w.*[\]]+)\s*\)/;

/** Takes the types out of `(String $X)`: no grammar knows the form. A parameter list looks alike, but follows a name. */
function withoutTypes(pattern: string, language: string, types: Map<string, string>): string {
  if (language !== "java" && language !== "go" && language !== "javascript") return pattern;
  let out = "";
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 200);
    const found = pattern[at] === "(" ? (language === "java" ? typedBefore : typedAfter).exec(rest) : null;
    if (found && !/[\w$)]\s*$/.test(out.replace(/\breturn\s*$/, ""))) {
      const [whole, first, second] = found as unknown as [string, string, string];
      types.set(language === "java" ? second : first, language === "java" ? first : second);
      out += language === "java" ? second : first;
      at += whole.length;
    } else out += pattern[at++];
  }
  return out;
}

const sticky = (source: string) => new RegExp(source, "y");
const restMetavariable = sticky("\\$\\.\\.\\.([A-Z_][A-Z0-9_]*)");
const metavariable = sticky("\\$[A-Z_][A-Z0-9_]*");

/** Replaces ellipses and, where the grammar needs it, metavariables. Text in quotes is left alone, but for what an f-string computes. */
function substitute(pattern: string, language: string, spelling: Spelling): string {
  let out = "";
  const open: string[] = [];
  const deep: number[] = [];
  const at = (regex: RegExp, from: number): RegExpExecArray | null => {
    regex.lastIndex = from;
    return regex.exec(pattern);
  };
  for (let i = 0; i < pattern.length; ) {
    const c = pattern[i] as string;
    const quoted = quotedEnd(pattern, i, language);
    if (quoted > i) {
      const text = pattern.slice(i, quoted);
      out += language === "python" && /f\w*$/i.test(out) ? computed(text) : text;
      i = quoted;
      continue;
    }
    const rest = at(restMetavariable, i);
    if (rest) {
      out += `${language === "php" ? "$" : ""}${restStandIn(rest[1] as string)}`;
      i += rest[0].length;
      continue;
    }
    const variable = at(metavariable, i);
    if (variable) {
      out += spelled(variable[0], language, out);
      i += variable[0].length;
      continue;
    }
    if (pattern.startsWith("<...", i)) {
      out += `${deepName}(`;
      deep.push(open.length);
      i += 4;
      continue;
    }
    if (pattern.startsWith("...>", i) && deep.at(-1) === open.length) {
      out += ")";
      deep.pop();
      i += 4;
      continue;
    }
    if (pattern.startsWith("...", i)) {
      i += 3;
      if (followsDot.test(out) && !isSpread(language, out, pattern.slice(i, i + 1))) {
        out = out.trimEnd() + ellipsisName;
        // `. ... .foo` has blanks around, which some grammars read as the end of a line.
        while (/\s/.test(pattern[i] ?? "")) i++;
      } else out += ellipsisIn(language, spelling, { before: out, after: pattern.slice(i), inside: open.at(-1) });
      continue;
    }
    // `new int[] {...}` is a list in Java.
    if (c === "(" || c === "[" || c === "{") open.push(language === "java" && /[=\]]\s*$/.test(out) ? "[" : c);
    if (c === ")" || c === "]" || c === "}") open.pop();
    out += c;
    i++;
  }
  return out;
}

const followsDot = /(\.|->)\s*$/;

/** What an ellipsis is written as, by what stands around it; `inside` is the bracket that is open. */
function ellipsisIn(
  language: string,
  { listed, braced }: Spelling,
  { before, after, inside }: { before: string; after: string; inside: string | undefined },
): string {
  if (isSpread(language, before, after.slice(0, 1))) return "...";
  if (/\bfor\s*\($/.test(before) && /^\s*\)/.test(after)) return `${listed}; ${listed}; ${listed}`;
  if (inside === "(" || inside === "[") return listed;
  if (language === "python") return inside === undefined ? ellipsisName : braced;
  return /[=:]\s*$/.test(before) ? listed : braced;
}

/** `...args`, `args...`: an operator of the language, which stands right beside a name. */
function isSpread(language: string, before: string, next: string): boolean {
  if (language === "javascript") return /[\w$[{]/.test(next);
  return language === "go" ? /\w$/.test(before) : language === "php" && next === "$";
}

function spelled(name: string, language: string, before: string): string {
  if (language === "python" || language === "go") return metavariableStandIn(name);
  if (language !== "php" || isSuperglobal(name)) return name;
  const isName =
    /\b(class|interface|trait|extends|implements|function|const|new|instanceof|use|namespace)\s+$|->\s*$|\bcatch\s*\(\s*$/.test(
      before,
    );
  return isName ? metavariableStandIn(name) : `$${metavariableStandIn(name)}`;
}

const computed = (text: string): string =>
  text.replace(/\{[^{}]*\}/g, (hole) =>
    hole.replace(/\$[A-Z_][A-Z0-9_]*/g, metavariableStandIn).replace(/\.\.\./g, ellipsisName),
  );

/** Where the literal that begins here ends; the same place when none does. */
function quotedEnd(text: string, from: number, language: string): number {
  const quote = text[from] as string;
  if (!/["'`]/.test(quote) || (quote === "`" && language !== "javascript" && language !== "go")) return from;
  const triple = quote.repeat(3);
  const mark = language === "python" && text.startsWith(triple, from) ? triple : quote;
  for (let i = from + mark.length; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text.startsWith(mark, i)) return i + mark.length;
  }
  return from;
}
