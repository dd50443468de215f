import type { TemplateFormat } from "./template-format.ts";
import { blank, type Piece, piecesOf } from "./template-pieces.ts";

/** What a page has without declaring it; models/java/pages.yaml says what each is. */
const given = ["request", "response", "session", "application", "out", "pageContext"].map(
  (name) => `javax.servlet.jsp.HttpJspPage.${name}`,
);
const directive = /<%@\s*page\b([^%]|%(?!>)){0,2000}%>/g;
const imports = /\bimport\s*=\s*(?:"([^"<>]{0,2000})"|'([^'<>]{0,2000})')/g;
const bean = /<jsp:useBean\b[^<>]{0,500}>/g;
const named = /^[\p{L}\p{N}_$.]+$/u;

/**
 * The code of a page in the language that it is written in, as one program: markup has become spaces, so that every place is the place in
 * the page, and what is shown is handed to ℍ, what is included to ℑ. What the page imports stands behind its end, where there is room. Null where there is none.
 */
export function codeOf(format: TemplateFormat, text: string): { grammar: string; text: string } | null {
  if (format !== "jsp") return null;
  const led = [...text.matchAll(leading)];
  if (led.length === 0 && !/<%[^@-]/.test(text)) return null;
  const beans = [...text.matchAll(bean)].map(({ 0: tag, index }) => ({ index, end: index + tag.length, tag }));
  const pieces = piecesOf(text, format);
  const code = pieces.map(({ kind, start, end, inner }) => {
    const written = text.slice(inner.start, inner.end);
    if (text.startsWith("<%!", start)) return `   ${written}  `;
    if (kind === "code") return `  ${written} ;`;
    // The marks around an expression are as long as the call.
    if (kind === "raw" && text.startsWith("<%=", start)) return ` ${takerOf(text, start)}(${written});`;
    return beansIn(text, start, end, beans);
  });
  const modules = [...text.matchAll(directive)].flatMap(([page]) =>
    [...page.matchAll(imports)].flatMap(([, double, single]) =>
      (double ?? single ?? "").split(",").map((name) => name.trim()),
    ),
  );
  const stated = modules.filter((name) => /^[\w.]+(\.\*)?$/.test(name));
  return {
    grammar: "java",
    text: `${withTags(code.join(""), led, pieces)}\n${[...given, ...stated].map((name) => `import ${name};`).join("\n")}`,
  };
}

/** Tags that lead where a parameter of the request says: `<c:redirect url="${param.next}"/>`. */
const leading =
  /<(c:redirect|c:import|jsp:include|jsp:forward)\s(?:[^<>]{0,200}?\s)?(?:url|page)\s*=\s*["']\$\{\s*param\.(\w{1,60})\s*\}["'][^<>]{0,200}>/g;
const takers: Record<string, string> = { "c:redirect": "ℜ", "c:import": "𝕀", "jsp:include": "ℑ", "jsp:forward": "ℑ" };

/** The same in code, which is shorter than the tag; `ℙ` gives what the request has under a name. */
function withTags(code: string, tags: readonly RegExpMatchArray[], pieces: readonly Piece[]): string {
  let at = 0;
  let piece = 0;
  const parts: string[] = [];
  for (const { 1: tag = "", 2: name, index = 0 } of tags) {
    const call = `${takers[tag]}(ℙ("${name}"));`;
    while (piece < pieces.length && (pieces[piece]?.end ?? 0) <= index) piece++;
    // Inside of a comment, or of code, it is none.
    if (index < at || pieces[piece]?.kind !== "text") continue;
    parts.push(code.slice(at, index), call);
    at = index + call.length;
  }
  return [...parts, code.slice(at)].join("");
}

/** The attribute of a tag with a prefix that has begun, so far. */
const ofTag = /<(\w+:\w+)\s[^<>]*$/;
/** Behind so much the tag of an expression is looked for. */
const tagMax = 300;

/** What takes the value of an expression: the page, or the tag in whose attribute it stands, which shows it in its own way. */
function takerOf(text: string, start: number): "ℍ" | "ℑ" | "ℕ" {
  const before = text.slice(Math.max(0, start - tagMax), start);
  const tag = before.slice(before.lastIndexOf("<")).match(ofTag)?.[1];
  if (tag === undefined) return "ℍ";
  return tag === "jsp:include" || tag === "jsp:forward" ? "ℑ" : "ℕ";
}

interface Bean {
  index: number;
  end: number;
  tag: string;
}

/** Nothing of a stretch of markup but what declares an object for the code. */
function beansIn(text: string, start: number, end: number, beans: readonly Bean[]): string {
  let at = start;
  const parts: string[] = [];
  for (const { index, end: after, tag } of beans) {
    const id = tag.match(/\bid\s*=\s*["']([^"']*)/)?.[1] ?? "";
    const type = tag.match(/\bclass\s*=\s*["']([^"']*)/)?.[1] ?? "";
    if (index < at || after > end || !named.test(id) || !named.test(type)) continue;
    // Shorter than the tag, which has both names and more.
    const declared = `${type} ${id};`;
    parts.push(blank(text.slice(at, index)), declared, blank(text.slice(index + declared.length, after)));
    at = after;
  }
  return [...parts, blank(text.slice(at, end))].join("");
}
