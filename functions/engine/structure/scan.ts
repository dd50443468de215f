import { RE2JS } from "re2js";
import type { Candidate } from "../artefact.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import type { Severity } from "../finding.ts";
import { candidateOf, type FileContext, nameMax } from "../findings/candidates.ts";
import { excerptOf } from "../findings/excerpt.ts";
import type { FunctionNode, Module } from "../ir/ir.ts";
import type { FileShape, FunctionShape } from "./file-shape.ts";
import type { Query } from "./measured.ts";
import { codeLinesOf, measured } from "./measures.ts";
import { OtherLinters } from "./other-linters.ts";
import type { StructureQuery } from "./structure-schema.ts";

interface CompiledQuery extends Query {
  readonly rule: Rule;
  readonly measure: StructureQuery["measure"];
  readonly languages: ReadonlySet<string>;
  readonly severity: Severity;
}

/** Asks the rules about the shape of a file's code. */
export class StructureScanner {
  readonly #queries: readonly CompiledQuery[];

  constructor(rules: readonly Rule[]) {
    this.#queries = rules.flatMap((rule) => (rule.structure ?? []).map((query) => compile(rule, query)));
  }

  /** @param symbols what the functions are called in findings, as far as they have been met */
  scan(
    shape: FileShape,
    module: Module,
    file: FileContext,
    language: string,
    symbols: ReadonlyMap<FunctionNode, string>,
  ): Candidate[] {
    const { text, lines } = file;
    const symbolOf = (fn: FunctionShape | null): string => {
      if (!fn) return "";
      const { name, params } = fn.fn;
      const around = symbolOf(fn.around);
      return symbols.get(fn.fn) ?? [around, ...(name ? [`${name}/${params.length}`] : [])].filter(Boolean).join(".");
    };
    // A function without a name goes by what it begins with, unless something was given it as a name.
    const nameOf = (fn: FunctionShape): string => {
      const symbol = symbolOf(fn);
      const given = symbol === symbolOf(fn.around) ? "" : (symbol.split(".").at(-1) ?? "").replace(/\/\d+$/, "");
      return fn.fn.name || given || excerptOf(text, fn.fn, nameMax).replace(/\s*\{$/, "");
    };
    const measuredFile = {
      shape,
      module,
      text,
      lines,
      code: codeLinesOf(lines, module, shape),
      dollars: language === "php",
      nameOf,
    };
    const linters = new OtherLinters(text, module, lines);
    const asked = this.#queries.filter(({ languages }) => languages.has(language));
    return asked.flatMap((query) =>
      measured[query.measure](measuredFile, query).flatMap(({ at, fn, anchor, source, sink }) => {
        const { rule, severity } = query;
        if (linters.areSilent(rule.linters ?? [], at)) return [];
        const match = { rule, severity, confidence: rule.confidence };
        const seen = { match, at, statement: at, symbol: symbolOf(fn), fn: fn?.fn ?? null, sink, flow: null };
        return [{ ...candidateOf(file, seen), anchor, source }];
      }),
    );
  }
}

function compile(rule: Rule, query: StructureQuery): CompiledQuery {
  const { measure, languages, above, upTo, severity, only, skip } = query;
  const wanted = only === undefined ? null : RE2JS.compile(only);
  const unwanted = skip === undefined ? null : RE2JS.compile(skip);
  return {
    rule,
    measure,
    languages: new Set(languages ?? rule.languages),
    severity: severity ?? rule.severity,
    above,
    ...(upTo !== undefined && { upTo }),
    fits: (text) => wanted?.test(text) !== false && unwanted?.test(text) !== true,
  };
}
