import { noLimit, type TimeLimit } from "../time-limit.ts";
import { readHaml } from "./haml-reader.ts";
import { bindPageParameters } from "./page-parameters.ts";
import { readComponents, readStandardTags, readThymeleaf } from "./page-tags.ts";
import { readPug } from "./pug-reader.ts";
import {
  readBlade,
  readBraces,
  readCode,
  readFreemarker,
  readHandlebars,
  readIncluded,
  readJinja,
  readLoopAttributes,
  readRazorParts,
  showEchoes,
  showHelper,
  showInBraces,
  showLink,
  showRazorPlaces,
} from "./statements.ts";
import { isFreemarker, isOfPhp, isOfRuby, type TemplateFormat } from "./template-format.ts";
import { type Piece, piecesOf } from "./template-pieces.ts";
import { TemplateScope } from "./template-scope.ts";

/** Reads a template: what it puts into the page, where and how, and which others it is made of. @throws TimeUp */
export function readTemplate(
  text: string,
  format: TemplateFormat,
  limit: TimeLimit = noLimit(),
): Pick<TemplateScope, "outputs" | "includes"> {
  const scope = new TemplateScope(text, isOfRuby(format) ? "erb" : format);
  if (format === "haml" || format === "slim") {
    readHaml(scope, format, limit);
    return scope;
  }
  if (format === "erb-plain") scope.escapes = false;
  if (format === "pug") {
    readPug(scope, limit);
    return scope;
  }
  // It escapes where the name of the file or its head says that it is HTML.
  if (format === "freemarker") scope.escapes = /<#ftl\b[^>]{0,300}\boutput_format|<#escape\b/.test(text);
  if (format === "razor") {
    bindPageParameters(scope);
    showRazorPlaces(scope);
    readRazorParts(scope);
  }
  if (format === "thymeleaf") readThymeleaf(scope);
  if (format === "jsp") readStandardTags(scope);
  if (format === "latte") readLoopAttributes(scope);
  for (const piece of piecesOf(text, scope.format)) {
    // An expression costs more than as much text.
    limit.check(1 + ((piece.end - piece.start) >> (piece.kind === "text" ? 5 : 1)));
    if (scope.skipUntil !== null) {
      const { start, end } = piece.inner;
      if (piece.kind === "tag" && text.slice(start, end).trim().startsWith(scope.skipUntil)) scope.skipUntil = null;
      continue;
    }
    read(scope, piece);
    if (piece.kind === "text") {
      if (format === "blade") readComponents(scope, piece);
      scope.html.read(text.slice(piece.start, piece.end));
    } else if (piece.kind !== "nothing" && piece.kind !== "code") scope.html.fill();
  }
  return scope;
}

function read(scope: TemplateScope, piece: Piece): void {
  const { format } = scope;
  if (piece.kind === "escaped" || piece.kind === "raw") show(scope, piece);
  else if (piece.kind === "code") {
    if (isOfPhp(format)) showEchoes(scope, piece);
    readCode(scope, piece);
  } else if (piece.kind === "tag" && format === "jinja") readJinja(scope, piece);
  else if (piece.kind === "tag" && format === "handlebars") readHandlebars(scope, piece);
  else if (piece.kind === "tag" && isFreemarker(format)) readFreemarker(scope, piece);
  else if (piece.kind === "tag" && format === "blade") readBlade(scope, piece);
  else if (piece.kind === "tag" && isOfPhp(format)) readBraces(scope, piece);
}

function show(scope: TemplateScope, piece: Piece): void {
  const isRaw = piece.kind === "raw";
  if (scope.format === "smarty") {
    showInBraces(scope, piece);
    return;
  }
  if (readIncluded(scope, piece.inner)) return;
  if (scope.format === "handlebars") showHelper(scope, piece, piece.inner, isRaw);
  // `<%= form_with do |f| %>` and `<%= items.each do |item| %>` bind names for what follows.
  else if (scope.format === "erb" && opensBlock(scope.text.slice(piece.inner.start, piece.inner.end)))
    readCode(scope, piece);
  else {
    if (scope.format === "erb") showLink(scope, piece);
    scope.output(scope.reads(trimmed(scope, piece)), piece, isRaw);
  }
}

const opensBlock = (code: string): boolean => /\bdo\b/.test(code.slice(code.lastIndexOf("%") + 1));

/** The marks at the edge that only trim white space are no part of the expression. */
function trimmed({ text }: TemplateScope, { inner }: Piece): Piece["inner"] {
  const start = /[-+~]/.test(text[inner.start] ?? "") ? inner.start + 1 : inner.start;
  return { start, end: /[-+~_]/.test(text[inner.end - 1] ?? "") ? inner.end - 1 : inner.end };
}
