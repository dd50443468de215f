import type { Span } from "../ir/ir.ts";
import type { Piece } from "./template-pieces.ts";
import { handedTo, type Read } from "./template-reads.ts";
import type { TemplateScope } from "./template-scope.ts";
import { effectOf } from "./template-words.ts";

/** A match of an expression in a template, and where its groups lie. */
type Found = RegExpMatchArray & { indices: RegExpIndicesArray };

/** Expressions look only this far: what they look for stands at the beginning, and nothing here may take long on a page of spaces. */
const lookMax = 2_000;

function find(
  scope: TemplateScope,
  { start, end }: Span,
  pattern: RegExp,
): { groups: Found; at: (group: number) => Span } | null {
  const found = scope.text
    .slice(start, Math.min(end, start + lookMax))
    .match(new RegExp(pattern.source, `${pattern.flags}d`)) as Found | null;
  if (!found) return null;
  return { groups: found, at: (group) => spanOf(found, group, start) };
}

const spanOf = (found: Found, group: number, offset: number): Span => {
  const [from, to] = found.indices[group] ?? [0, 0];
  return { start: offset + from, end: offset + to };
};

const quoted = /^\s*\(?\s*["'`]([^"'`]+)["'`]/;

/** A statement of Jinja and its relatives: Django, Twig, Nunjucks. */
export function readJinja(scope: TemplateScope, { inner }: Piece): void {
  const head = find(scope, inner, /^[-+~]?\s*(\w+)/);
  const word = head?.groups[1] ?? "";
  jinja.get(word)?.(scope, { start: inner.start + (head?.groups[0].length ?? 0), end: inner.end }, inner, word);
}

/** What a statement does; `rest` is what follows its word. */
type JinjaStatement = (scope: TemplateScope, rest: Span, inner: Span, word: string) => void;

const jinja: ReadonlyMap<string, JinjaStatement> = new Map(
  Object.entries<JinjaStatement>({
    for: beginLoop,
    "with blocktrans blocktranslate": beginBlock,
    macro: (scope, rest) => {
      scope.push();
      // What macros are given is shown where they are called.
      for (const name of scope.text.slice(rest.start, rest.end).match(/\w+/g) ?? []) scope.bind(name, []);
    },
    "endfor endwith endblocktrans endblocktranslate endmacro": (scope) => scope.pop(),
    "set assign": (scope, rest) => {
      const set = find(scope, rest, /^\s*(\w+)\s*=(?!=)/);
      if (!set) return;
      scope.bind(set.groups[1] as string, scope.reads({ start: rest.start + set.groups[0].length, end: rest.end }));
    },
    autoescape: (scope, rest) => {
      scope.escapes = find(scope, rest, /\b(off|false)\b/) === null;
    },
    endautoescape: (scope) => {
      scope.escapes = true;
    },
    "raw verbatim comment": (scope, _rest, _inner, word) => {
      scope.skipUntil = `end${word}`;
    },
    "include extends embed": (scope, rest, inner) => {
      const name = find(scope, rest, quoted);
      if (name) scope.include(name.groups[1] as string, inner, scope.pairs({ start: name.at(0).end, end: rest.end }));
    },
  }).flatMap(([words, statement]) => words.split(" ").map((word) => [word, statement] as const)),
);

function beginLoop(scope: TemplateScope, rest: Span): void {
  const loop = find(scope, rest, /^\s*\(?(\w[\w\s,]*?)\)?\s+in\s+/);
  const of = loop ? scope.reads({ start: rest.start + loop.groups[0].length, end: rest.end }) : [];
  scope.push();
  for (const name of loop?.groups[1]?.match(/\w+/g) ?? []) scope.bind(name, of);
}

/** `with total=a.b`, `with a.b as total`. */
function beginBlock(scope: TemplateScope, rest: Span): void {
  const named = find(scope, rest, /^([\s\S]+?)\s+as\s+(\w+)\s*-?$/);
  const pairs = scope.pairs(rest);
  scope.push();
  if (named && pairs.size === 0) scope.bind(named.groups[2] as string, scope.reads(named.at(1)));
  for (const [name, value] of pairs) scope.bind(name, value);
}

/** What stands between the braces of Handlebars and Mustache. */
export function readHandlebars(scope: TemplateScope, { inner, start, end }: Piece): void {
  const head = find(scope, inner, /^~?\s*([#/^>&]?)\s*([\w@./-]*)/);
  const [, sign, word = ""] = head?.groups ?? [];
  const rest = { start: inner.start + (head?.groups[0].length ?? 0), end: inner.end };
  if (sign === "#" || sign === "^") {
    const plain = /^(if|unless|block|extend|content|is|eq|contentFor|compare|has|get)$/.test(word);
    if (sign === "^" || plain) {
      scope.push();
      return;
    }
    const isSection = !/\S/.test(scope.text.slice(rest.start, rest.end));
    const of = isSection && head ? scope.reads(head.at(2)) : scope.reads(rest);
    scope.push(/^(each|with|foreach)$/.test(word) || isSection ? of : null);
    const alias = find(scope, rest, /\bas\s*\|\s*(\w+)/)?.groups[1];
    if (alias) scope.bind(alias, of);
    return;
  }
  const content = { start: head?.at(2).start ?? inner.start, end: inner.end };
  if (sign === "/") scope.pop();
  else if (sign === ">") scope.include(word, { start, end }, scope.pairs(rest));
  else if (word !== "else") showHelper(scope, { start, end }, content, sign === "&");
}

/** `{{name}}` shows a value, `{{name a b}}` what a helper makes of its arguments. */
export function showHelper(scope: TemplateScope, at: Span, inner: Span, raw: boolean): void {
  const helper = find(scope, inner, /^\s*([\w-]+)\s+(?=[^\s~])/);
  if (!helper) {
    scope.output(scope.reads(inner), at, raw);
    return;
  }
  const effect = effectOf(helper.groups[1] as string);
  if (effect === "nothing" || effect === "clean" || effect === "encoded" || effect === "json") return;
  // Helpers of internationalisation show their own texts, and escape what they fill in.
  if (/^(t|i18n|__|translate|if|unless|eq)$/.test(helper.groups[1] as string)) return;
  const given = { start: helper.at(0).end, end: inner.end };
  // Helpers are given words, of which each is one argument.
  const handed = scope.reads(given).map((read): Read => {
    const before = scope.text.slice(given.start, read.start).trim();
    const argument = before === "" ? 0 : before.split(/\s+/).length;
    return handedTo([read], helper.groups[1] as string, argument)[0] as Read;
  });
  scope.output(handed, at, raw || effect === "raw");
}

const bindings: readonly { pattern: RegExp; name: number; of: number }[] = [
  {
    pattern: /\bfor(?:each)?\s*\(\s*(?:const|let|var|[\w<>.]+)\s+(\w+)\s+(?:of|in|:)\s+([^{;]{1,300})\)/g,
    name: 1,
    of: 2,
  },
  {
    pattern: /(?<![\w.$@[\]"'])([\w.$@[\]"']+)\.(?:forEach|map)\(\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*(\w+)/g,
    name: 2,
    of: 1,
  },
  {
    pattern: /(?<![\w.@[\]:])([\w.@[\]:]+)\.(?:each|each_with_index|map|find_each)\s*(?:do|\{)\s*\|\s*\(?(\w+)/g,
    name: 2,
    of: 1,
  },
  { pattern: /\bforeach\s*\((\S+)\s+as\s+(?:\$\w+\s*=>\s*)?(\$\w+)/g, name: 2, of: 1 },
  { pattern: /(?:^|[;{}\s])([@$]?\w+)\s*=(?![=>~])([^;\n]+)/g, name: 1, of: 2 },
];

/** Code of the language around the template: the names it binds, what it writes and what it includes. */
export function readCode(scope: TemplateScope, { inner }: Piece): void {
  const code = scope.text.slice(inner.start, inner.end);
  for (const { pattern, name, of } of bindings)
    for (const found of code.matchAll(new RegExp(pattern.source, "gd")) as Iterable<Found>)
      scope.bind(found[name] as string, scope.reads(spanOf(found, of, inner.start)));
  readIncluded(scope, inner);
}

/** `include('x', {a: b})`, `render partial: 'x', locals: {a: b}`. @returns whether it was one */
export function readIncluded(scope: TemplateScope, inner: Span): boolean {
  const found = find(
    scope,
    inner,
    /^[\s-]*(?:await\s+)?(?:include|partial|render)(?:\s*\(|\s)\s*(?:partial:\s*)?["'`]([^"'`]+)["'`]/,
  );
  if (!found) return false;
  const name = found.groups[1] as string;
  const given = scope.pairs({ start: found.at(0).end, end: inner.end });
  // `render partial: "note", object: x, as: :text`; without a name it is called like the partial.
  const object = given.get("object");
  if (object) {
    const as = find(scope, inner, /\bas:\s*:?["']?(\w+)/)?.groups[1] ?? name.slice(name.lastIndexOf("/") + 1);
    given.set(as, object);
  }
  scope.include(name, inner, given);
  return true;
}

/** A directive of FreeMarker. */
export function readFreemarker(scope: TemplateScope, { inner, start }: Piece): void {
  if (scope.text.startsWith("</", start)) {
    if (find(scope, inner, /^(list|items|macro|function)\b/)) scope.pop();
    return;
  }
  const loop = find(scope, inner, /^(?:list\s+(.+?)\s+as\s+(\w+)|(?:items\s+as|macro|function)\s+([\w\s]+))/);
  if (loop) {
    scope.push();
    // What macros are given is shown where they are called.
    for (const name of loop.groups[3]?.match(/\w+/g) ?? []) scope.bind(name, []);
    if (loop.groups[2]) scope.bind(loop.groups[2], scope.reads(loop.at(1)));
  }
  const set = find(scope, inner, /^(?:assign|local|global)\s+(\w+)\s*=/);
  if (set) scope.bind(set.groups[1] as string, scope.reads({ start: set.at(0).end, end: inner.end }));
  const part = find(scope, inner, /^(?:include|import)\s+["']([^"']+)["']/);
  if (part) scope.include(part.groups[1] as string, inner);
}

/** `link_to "Shop", @address`: the second thing given is where the link leads, and is not escaped against `javascript:`. */
export function showLink(scope: TemplateScope, piece: Piece): void {
  const link = find(
    scope,
    piece.inner,
    /^\s*link_to[\s(]\s*(?:"[^"]{0,200}"|'[^']{0,200}'|@?\w+(?:\.\w+)*)\s*,\s*(@\w+|params\[:?["']?\w+["']?\])(?=\s*(?:[,)]|-?$))/,
  );
  if (link) scope.output(scope.reads(link.at(1)), piece, false, "url");
}

const ofRazor = '@((?:ViewBag|Model)(?:\\.\\w{1,60}){1,4}|ViewData\\["\\w{1,60}"\\])';
const razorPlaces = [
  // Razor escapes what it shows, but an address may begin with anything.
  { place: "url", pattern: new RegExp(`\\s(?:href|action|formaction)="${ofRazor}"`, "g") },
  // Whoever reads the attribute takes the escaping off before the script in it runs.
  { place: "script", pattern: new RegExp(`\\son[a-z]{3,20}="[^"@<>]{0,200}'${ofRazor}'`, "g") },
] as const;

/** `<a href="@Model.Back">`, `onclick="open('@Model.Name')"`: where escaping does not help. */
export function showRazorPlaces(scope: TemplateScope): void {
  for (const { place, pattern } of razorPlaces)
    for (const { 0: found, 1: shown = "", index } of scope.text.matchAll(pattern)) {
      const start = index + found.indexOf("@") + 1;
      const at = { start, end: start + shown.length };
      scope.output(scope.reads(at), at, false, place);
    }
}

/** A part of a page of Razor may be handed a model of its own. */
const razorPart =
  /<partial\s[^<>]{0,200}?\bname="([\w/.~-]{1,100})"[^<>]{0,200}?\b(?:model|for)="@?([^"\n]{1,200})"|\bHtml\.(?:Render)?Partial(?:Async)?\(\s*"([\w/.~-]{1,100})"\s*,\s*(?:\(\w{1,40}\)\s*)?([^\n;]{1,200}?)\s*\)/dg;

export function readRazorParts(scope: TemplateScope): void {
  for (const found of scope.text.matchAll(razorPart) as Iterable<Found>) {
    const of = found[1] === undefined ? 3 : 1;
    const at = { start: found.index ?? 0, end: (found.index ?? 0) + found[0].length };
    scope.include(found[of] as string, at, new Map([["Model", scope.reads(spanOf(found, of + 1, 0))]]));
  }
}

/** What code of PHP prints: `@php echo $bio; @endphp`. */
export function showEchoes(scope: TemplateScope, { inner }: Piece): void {
  const printed = find(scope, inner, /^\s*(?:echo|print)\s+([^;"']{1,200}?)\s*;?\s*$/);
  if (printed) scope.output(scope.reads(printed.at(1)), inner, true);
}

/** A directive of Blade. */
export function readBlade(scope: TemplateScope, { inner }: Piece): void {
  const loop = find(scope, inner, /^@for(?:each|else)\s*\(([\s\S]+?)\s+as\s+(?:(\$\w+)\s*=>\s*)?(\$\w+)/);
  if (loop) {
    const of = scope.reads(loop.at(1));
    scope.push();
    scope.bind(loop.groups[3] as string, of);
  }
  if (find(scope, inner, /^@endfor(each|else)/)) scope.pop();
  const part = find(scope, inner, /^@(?:include\w*|extends|component)\s*\([^"']*["']([^"']+)["']/);
  if (part) scope.include(part.groups[1] as string, inner, scope.pairs({ start: part.at(0).end, end: inner.end }));
}

/** A statement of Smarty or Latte, which name what they bind as PHP does, or by attributes. */
export function readBraces(scope: TemplateScope, piece: Piece): void {
  const { inner, start } = piece;
  const closes = scope.text.startsWith("{/", start);
  const word = find(scope, { start, end: piece.end }, /^\{\/?(\w+)/)?.groups[1] ?? "";
  switch (word) {
    case "foreach":
    case "section":
    case "for":
    case "function": {
      if (closes) {
        scope.pop();
        return;
      }
      const loop = find(scope, inner, /^(\S[\s\S]*?)\sas\s+(?:\$\w+\s*=>\s*)?\$(\w+)/);
      const from = find(scope, inner, /\bfrom\s*=\s*(\S+)/);
      const item = find(scope, inner, /\bitem\s*=\s*["']?(\w+)/)?.groups[1] ?? loop?.groups[2];
      const of = loop?.at(1) ?? from?.at(1);
      const read = of ? scope.reads(of) : [];
      scope.push();
      if (item) scope.bind(item, read);
      return;
    }
    case "assign":
    case "var": {
      const set =
        find(scope, inner, /^\s*(?:var\s*=\s*)?["']?\$?(\w+)\b["']?(?:\s*=|\s+value\s*=)?\s*(\S[\s\S]*)$/) ?? undefined;
      if (set && !closes) scope.bind(set.groups[1] as string, scope.reads(set.at(2)));
      return;
    }
    case "include":
    case "sandbox":
    case "extends":
    case "layout": {
      const part = closes ? null : find(scope, inner, /^\s*(?:file\s*=\s*)?["']?([^"'\s$`{}]+\.\w+)["']?/);
      if (part) scope.include(part.groups[1] as string, inner, scope.pairs({ start: part.at(0).end, end: inner.end }));
    }
  }
}

/** `{$a = 1}` binds, and `{$a nofilter}` is not escaped whatever the engine does. */
export function showInBraces(scope: TemplateScope, { inner, start, end }: Piece): void {
  const set = find(scope, inner, /^(\w+)\s*=(?![=>])/);
  if (set) {
    scope.bind(set.groups[1] as string, scope.reads({ start: set.at(0).end, end: inner.end }));
    return;
  }
  const unfiltered = find(scope, inner, /\snofilter\s*$/);
  scope.output(
    scope.reads({ start: inner.start, end: unfiltered?.at(0).start ?? inner.end }),
    { start, end },
    unfiltered !== null,
  );
}

/** Latte binds names by attributes of the tags that are repeated. */
export function readLoopAttributes(scope: TemplateScope): void {
  for (const found of scope.text.matchAll(
    /\sn:(?:inner-)?foreach\s*=\s*"([^"]{1,300}?)\s+as\s+(?:\$\w+\s*=>\s*)?\$(\w+)/dg,
  ))
    scope.bind(found[2] as string, scope.reads(spanOf(found as Found, 1, 0)));
}
