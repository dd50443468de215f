import type { Candidate } from "../artefact.ts";
import { expression, type LazyRegex } from "../catalogue/expression.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { Span } from "../ir/ir.ts";
import { isPlaceholder } from "../secrets/placeholder.ts";
import { occurrencesOf, type ShownText } from "../secrets/shown-text.ts";
import { noLimit, type TimeLimit, TimeUp } from "../time-limit.ts";
import { type ConfigDocument, type DocumentKind, readConfig } from "./config-document.ts";
import type { ConfigFormat } from "./config-format.ts";
import { type ConfigNode, TooLarge } from "./config-node.ts";
import type { ConfigCondition, ConfigQuery } from "./config-query.ts";
import { KeyPath, pathOf } from "./key-path.ts";
import { boundName } from "./mapper-reader.ts";

/** Nodes that all rules together may look at in one file; real files take a few ten thousand. */
const stepsMax = 3_000_000;
/** A rule that fires more often in one file has said enough. */
const findingsMax = 50;
const sinkCharactersMax = 80;

interface CompiledCondition {
  readonly at: KeyPath;
  readonly condition: ConfigCondition;
  readonly key: LazyRegex | null;
  readonly matches: LazyRegex | null;
  readonly is: ReadonlySet<string> | null;
}

interface CompiledQuery {
  readonly rule: Rule;
  readonly query: ConfigQuery;
  readonly find: KeyPath;
  readonly report: KeyPath | null;
  readonly each: LazyRegex | null;
  readonly skip: LazyRegex | null;
  readonly when: readonly CompiledCondition[];
  readonly unless: readonly CompiledCondition[];
  /** It asks for something that is not there, which a template may still bring. */
  readonly absence: boolean;
}

class OutOfSteps extends Error {}

/** Asks the rules about the configuration in a file. */
export class ConfigScanner {
  readonly #rules: readonly Rule[];
  /** Compiled with the first document of their kind. */
  readonly #queries = new Map<DocumentKind, readonly CompiledQuery[]>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  #about(kind: DocumentKind): readonly CompiledQuery[] {
    const known = this.#queries.get(kind);
    if (known) return known;
    const queries = this.#rules.flatMap((rule) =>
      (rule.config ?? []).filter(({ document }) => document.includes(kind)).map((query) => compile(rule, query)),
    );
    this.#queries.set(kind, queries);
    return queries;
  }

  /**
   * @param safe the file without the secrets known before
   * @returns what was found, a reason when something was left out, and the file without the secrets that were found
   */
  scan(
    format: ConfigFormat,
    text: string,
    safe: ShownText,
    suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
    /** Lines whose secrets are reported already. */
    told: ReadonlySet<number> = new Set(),
    limit: TimeLimit = noLimit(),
  ): { candidates: Candidate[]; reason: string | null; shown: ShownText } {
    const found: Sighting[] = [];
    const ended = (reason: string | null) => {
      const shown = safe.without(found.flatMap((sighting) => secretsOf(text, sighting)));
      return { candidates: found.map((sighting) => candidateOf(sighting, shown, suppressed)), reason, shown };
    };
    let steps = 0;
    const visit = () => {
      if (++steps > stepsMax) throw new OutOfSteps();
      limit.check();
    };
    try {
      const { documents, reason } = readConfig(format, text, limit);
      for (const document of documents)
        for (const query of this.#about(document.kind))
          for (const seen of sightings(query, document, visit))
            if (query.rule.family !== "hardcoded_secret" || !told.has(safe.lines.lineOf(seen.start)))
              found.push({ ...seen, query, document });
      return ended(reason);
    } catch (error) {
      // Nesting that the parser cannot take ends its stack.
      if (error instanceof OutOfSteps || error instanceof TooLarge) return ended("config_budget");
      if (error instanceof TimeUp) return ended("time_limit");
      if (error instanceof RangeError) return ended("nesting");
      throw error;
    }
  }
}

interface Seen {
  node: ConfigNode;
  start: number;
  end: number;
}

function sightings(compiled: CompiledQuery, document: ConfigDocument, visit: () => void): Seen[] {
  const { query, find, report, each, skip, when, unless, absence } = compiled;
  if (absence && document.templated) return [];
  const found: Seen[] = [];
  const places = new Set<number>();
  for (const node of find.from(document.root, visit)) {
    if (!when.every((c) => holds(c, node, visit)) || unless.some((c) => holds(c, node, visit))) continue;
    const at = report?.from(node, visit)[0] ?? node;
    const seen = each ? matchesOf(each, skip, at) : [{ node: at, start: at.start, end: at.end }];
    for (const one of seen) {
      if (places.has(one.start) || found.length === findingsMax) continue;
      places.add(one.start);
      found.push(one);
      if (query.once) return found;
    }
  }
  return found;
}

function matchesOf(each: LazyRegex, skip: LazyRegex | null, node: ConfigNode): Seen[] {
  const found: Seen[] = [];
  const matcher = each.matcher(node.text ?? node.value ?? "");
  // White space that an expression needs to look behind itself is not part of the finding.
  while (matcher.find() && found.length < findingsMax) {
    const text = matcher.group() ?? "";
    const lead = text.search(/\S/);
    if (lead < 0 || skip?.test(text)) continue;
    const start = node.textStart + matcher.start() + lead;
    found.push({ node, start, end: start + text.trim().length });
  }
  return found;
}

function holds({ at, condition, key, matches, is }: CompiledCondition, node: ConfigNode, visit: () => void): boolean {
  const nodes = at.from(node, visit).filter((found) => !key || key.test(found.key));
  if (condition.absent) return nodes.length === 0;
  return nodes.some((found) => {
    const value = found.value;
    if (is && !(value !== null && is.has(value.toLowerCase()))) return false;
    if (matches && !(value !== null && matches.test(value))) return false;
    if (condition.secret && !(value !== null && !isPlaceholder(value))) return false;
    if (condition.empty !== undefined && (found.entries.length === 0 && (value ?? "") === "") !== condition.empty)
      return false;
    return !(condition.below !== undefined && !(value !== null && Number(value) < condition.below));
  });
}

interface Sighting extends Seen {
  query: CompiledQuery;
  document: ConfigDocument;
}

/** What a rule for secrets has found is a secret wherever else it is written. */
function secretsOf(text: string, { query: { rule }, node, start, end }: Sighting): Span[] {
  if (rule.family !== "hardcoded_secret" || !node.value) return [];
  const at = text.slice(start, end).lastIndexOf(node.value);
  const own = at < 0 ? { start, end } : { start: start + at, end: start + at + node.value.length };
  return [own, ...occurrencesOf(text, [node.value])];
}

function candidateOf(
  { query: { rule, query, each }, document, node, start, end }: Sighting,
  { text, lines }: ShownText,
  suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
): Candidate {
  const place = lines.place(start, end);
  const way = pathOf(node);
  const bound = document.kind === "mybatis-mapper" ? boundName(node, text.slice(start, end)) : null;
  const shown = each
    ? text.slice(start, end).replace(/\s+/g, " ")
    : way.split(".").slice(-3).join(".") || document.kind;
  return {
    ...place,
    ruleId: rule.id,
    severity: query.severity ?? rule.severity,
    confidence: Math.round(rule.confidence * (query.confidence ?? 1) * 100) / 100,
    source: "",
    sink: shown.slice(0, sinkCharactersMax).toWellFormed(),
    symbol: "",
    anchor: `${document.kind} ${way}${each ? ` ${shown}` : ""}`,
    snippet: snippetOf(lines, { ...place, endLine: Math.min(place.endLine, place.startLine + 2) }),
    trace: [],
    suppressed: suppressed(rule.id, place.startLine),
    ...(bound && { bound }),
  };
}

function compile(rule: Rule, query: ConfigQuery): CompiledQuery {
  const when = query.when.map(compileCondition);
  const unless = query.unless.map(compileCondition);
  return {
    rule,
    query,
    find: new KeyPath(query.find),
    report: query.report === undefined ? null : new KeyPath(query.report),
    each: regex(query.each),
    skip: regex(query.skip),
    when,
    unless,
    absence:
      query.when.some((condition) => condition.absent) || query.unless.some((c) => c.at !== undefined && !c.absent),
  };
}

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));

function compileCondition(condition: ConfigCondition): CompiledCondition {
  return {
    at: new KeyPath(condition.at ?? ""),
    condition,
    key: regex(condition.key),
    matches: regex(condition.matches),
    is: condition.is ? new Set(condition.is.map((value) => String(value).toLowerCase())) : null,
  };
}
