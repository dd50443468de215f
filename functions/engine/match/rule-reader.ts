import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import type { IssueType, Severity } from "../finding.ts";
import { type Formula, type OwnLanguage, type OwnRuleSource, ownLanguages } from "./own-rule.ts";
import { FormulaReader, formulaKeys, isRegexOnly } from "./rule-formula.ts";
import { asMap, keyOf, onlyKnown, pairOf, Refused, requiredText } from "./rule-yaml.ts";

const ruleKeys = new Set([
  ...formulaKeys,
  "id",
  "message",
  "severity",
  "languages",
  "metadata",
  "paths",
  "fix",
  "fix-regex",
  "mode",
  "options",
  "min-version",
  "max-version",
  "pattern-sources",
  "pattern-sinks",
  "pattern-sanitizers",
]);
/** Options that say what we do anyway, or what only other programs can do and a rule does not need. */
const harmlessOptions: Record<string, readonly unknown[]> = {
  constant_propagation: [true],
  interfile: [true, false],
  interproc: [true, false],
  symbolic_propagation: [false],
  taint_unify_mvars: [false],
};

const severities: Record<string, Severity> = {
  CRITICAL: "critical",
  ERROR: "high",
  HIGH: "high",
  WARNING: "medium",
  MEDIUM: "medium",
  INFO: "low",
  LOW: "low",
};
const confidences: Record<string, number> = { HIGH: 0.9, MEDIUM: 0.7, LOW: 0.4 };
const issueTypes: Record<string, IssueType> = {
  security: "security",
  correctness: "bug",
  performance: "performance",
  "best-practice": "maintainability",
  maintainability: "maintainability",
  compatibility: "maintainability",
  portability: "maintainability",
  style: "style",
};
const languageNames: Record<string, readonly OwnLanguage[] | "any"> = {
  js: ["javascript", "typescript"],
  javascript: ["javascript", "typescript"],
  jsx: ["javascript", "typescript"],
  ts: ["typescript"],
  typescript: ["typescript"],
  tsx: ["typescript"],
  py: ["python"],
  python: ["python"],
  python3: ["python"],
  java: ["java"],
  php: ["php"],
  go: ["go"],
  golang: ["go"],
  regex: "any",
  generic: "any",
  none: "any",
};

/**
 * Reads one rule.
 * @param lineOf the line of a node in the file
 * @throws Refused for whatever would make it mean something else than it says
 */
export function readRule(map: YAMLMap, lineOf: (node: unknown) => number): OwnRuleSource {
  const formulas = new FormulaReader(lineOf);
  onlyKnown(map, ruleKeys);
  const id = requiredText(map, "id");
  if (!/^[A-Za-z0-9][\w.-]{0,199}$/.test(id))
    throw new Refused(pairOf(map, "id"), "id", "an id has letters, digits, dots, hyphens and underscores, 200 at most");
  const mode = map.has("mode") ? requiredText(map, "mode") : "search";
  if (mode !== "search" && mode !== "taint")
    throw new Refused(pairOf(map, "mode"), "mode", `the mode ${mode} is not supported`);
  checkOptions(map);
  const languages = languagesOf(map);
  const severity = severities[requiredText(map, "severity").toUpperCase()];
  if (!severity)
    throw new Refused(
      pairOf(map, "severity"),
      "severity",
      `the severity ${requiredText(map, "severity")} is not supported`,
    );
  const search = mode === "search" ? searchOf(map, formulas) : null;
  const taint = mode === "taint" ? taintOf(map, formulas) : null;
  if (languages === "any" && (taint || !isRegexOnly(search as Formula)))
    throw new Refused(
      pairOf(map, "languages"),
      "languages",
      "in the languages generic and regex only pattern-regex can be used",
    );
  return {
    id,
    line: lineOf(map),
    message: requiredText(map, "message").trim().slice(0, 4_000),
    severity,
    languages,
    paths: pathsOf(map),
    fix: map.has("fix") ? requiredText(map, "fix") : null,
    search,
    taint,
    ...metadataOf(map),
  };
}

function searchOf(map: YAMLMap, formulas: FormulaReader): Formula {
  for (const key of ["pattern-sources", "pattern-sinks", "pattern-sanitizers"])
    if (map.has(key)) throw new Refused(pairOf(map, key), key, "it needs mode: taint");
  return formulas.formula(map);
}

function taintOf(map: YAMLMap, formulas: FormulaReader): NonNullable<OwnRuleSource["taint"]> {
  for (const key of formulaKeys)
    if (map.has(key)) throw new Refused(pairOf(map, key), key, "it cannot stand beside mode: taint");
  return {
    sources: formulas.alternatives(map, "pattern-sources"),
    sinks: formulas.alternatives(map, "pattern-sinks"),
    sanitizers: map.has("pattern-sanitizers") ? formulas.alternatives(map, "pattern-sanitizers") : null,
  };
}

function languagesOf(map: YAMLMap): readonly OwnLanguage[] | "any" {
  const list = map.get("languages", true);
  if (!isSeq(list) || list.items.length === 0)
    throw new Refused(pairOf(map, "languages") ?? map, "languages", "languages must be a list");
  const found = new Set<OwnLanguage>();
  for (const item of list.items) {
    const name = String((item as { value?: unknown }).value);
    const meant = Object.hasOwn(languageNames, name) ? languageNames[name] : undefined;
    if (!meant) throw new Refused(item as Node, "languages", `the language ${name} is not supported`);
    if (meant === "any") return "any";
    for (const language of meant) found.add(language);
  }
  return ownLanguages.filter((language) => found.has(language));
}

function pathsOf(map: YAMLMap): OwnRuleSource["paths"] {
  const paths = map.get("paths", true);
  if (paths === undefined || paths === null) return { include: [], exclude: [] };
  const given = asMap(paths, "paths");
  onlyKnown(given, new Set(["include", "exclude"]));
  const list = (key: string): string[] => {
    const value = given.get(key, true);
    if (value === undefined) return [];
    if (!isSeq(value)) throw new Refused(pairOf(given, key), key, `${key} must be a list`);
    return value.items.map((item) => String((item as { value?: unknown }).value).slice(0, 500));
  };
  return { include: list("include"), exclude: list("exclude") };
}

function checkOptions(map: YAMLMap): void {
  const options = map.get("options", true);
  if (!isMap(options)) return;
  for (const pair of options.items as Pair[]) {
    const key = keyOf(pair);
    const value = isScalar(pair.value) ? pair.value.value : null;
    if (!Object.hasOwn(harmlessOptions, key) || !harmlessOptions[key]?.includes(value))
      throw new Refused(pair, key, `the option ${key} is not supported`);
  }
}

function metadataOf(map: YAMLMap) {
  const metadata = map.get("metadata", true);
  const given = new Map(
    isMap(metadata) ? (metadata.items as Pair[]).map((pair) => [keyOf(pair), plain(pair.value)]) : [],
  );
  const owasp = texts(given.get("owasp"));
  const category = (year: string) =>
    owasp.map((text) => new RegExp(`\\b(A\\d\\d)\\b:?${year}`).exec(text)?.[1]).find(Boolean) ?? null;
  return {
    confidence: confidences[String(given.get("confidence")).toUpperCase()] ?? 0.6,
    issueType: issueTypes[String(given.get("category"))] ?? "security",
    cwe: texts(given.get("cwe")).flatMap((text) => {
      const number = Number(/\d+/.exec(text)?.[0]);
      return number > 0 && number < 100_000 ? [number] : [];
    }),
    owasp2021: category("2021"),
    owasp2025: category("2025"),
    references: texts(given.get("references")).slice(0, 20),
  };
}

/** Scalars and lists of them; whatever else metadata holds is for others. */
const plain = (node: unknown): unknown =>
  isScalar(node) ? node.value : isSeq(node) ? node.items.map((item) => (isScalar(item) ? item.value : null)) : null;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) =>
    typeof one === "string" || typeof one === "number" ? [String(one)] : [],
  );
