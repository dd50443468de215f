import type { Families } from "../../catalogue/catalogue.ts";
import { lastSegment } from "../../catalogue/paths.ts";
import type { Call, ClassStatement, Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { calleeOf, subjectOfDecorator } from "../calls/parameters.ts";
import { argumentsAt } from "../check.ts";
import type { Passage } from "../guards/passage.ts";
import { typedAs } from "../names.ts";
import { propertyOf } from "../objects/accessors.ts";
import type { Frame, Run } from "../run.ts";
import { byNamed } from "../texts/constants-elsewhere.ts";
import { cleanedByPattern } from "../texts/patterns.ts";
import { type ClassInfo, cleaned, type Taint, tainted } from "../value.ts";

/** What a class without constraints has of them. */
export const noConstraints: ReadonlyMap<string, Families> = new Map();

/** The group of constraints that name none, as the end of a key. */
const plainGroup = "";

/** Stands between a field, or a class, and a group of constraints. */
const ofGroup = "@";

/** What the constraints of a parameter clean, where the function or its class asks for them to be looked at. */
export function constraintsOf(run: Run, frame: Frame, fn: FunctionNode, param: Parameter): Families {
  if (run.language !== "java" || param.decorators.length === 0) return 0;
  const clean = cleanedInGroups(run, frame, param.decorators).get(plainGroup) ?? 0;
  return clean !== 0 && areLookedAt(run, frame, fn) ? clean : 0;
}

/** The patterns of other files that the constraints of a parameter ask for, where anybody looks at those. */
export function constantsAsked(run: Run, frame: Frame, fn: FunctionNode, param: Parameter): readonly Passage[] {
  if (run.language !== "java" || param.decorators.length === 0) return [];
  const asked = patternsElsewhere(run, frame, param.decorators);
  return asked.length > 0 && areLookedAt(run, frame, fn) ? asked : [];
}

/** Whether a function, or its class, asks for the constraints of parameters to be looked at. */
const areLookedAt = (run: Run, frame: Frame, fn: FunctionNode): boolean =>
  [...fn.decorators, ...(frame.owner?.node.decorators ?? [])].some((decorator) =>
    asksFor(run, frame, decorator, "parameters"),
  );

/** What the route asks of its placeholder for a parameter: `@GetMapping("/{name:[a-z]+}")` is not entered with anything else. */
export function placeholderCleans(
  run: Run,
  { decorators }: FunctionNode,
  { name, decorators: own }: Parameter,
): Families {
  if (run.language === "php") return requiredCleans(run, decorators, name.replace("$", ""));
  if (run.language !== "java") return 0;
  const [named] = own.flatMap((decorator) => (decorator.kind === "call" ? decorator.args : []));
  const placeholder = named?.value.kind === "literal" ? named.value.value : name;
  const patterns = decorators.flatMap(({ start, end }) =>
    [...run.text.slice(start, end).matchAll(placeholders)].flatMap(([, of, pattern]) =>
      of === placeholder ? pattern : [],
    ),
  );
  const [pattern, ...others] = patterns;
  if (pattern === undefined || others.length > 0) return 0;
  return cleanedByPattern(run.catalogue, pattern.trim().replaceAll("\\\\", "\\"), true, false);
}

/** `#[Route("/notes/{name}", requirements: ["name" => "[a-z]+"])]`, `#[Route("/notes/{name<[a-z]+>}")]`; what several routes ask is not put together. */
function requiredCleans(run: Run, decorators: readonly Expression[], placeholder: string): Families {
  if (decorators.length > 1 && routesWith(decorators, placeholder) > 1) return 0;
  const patterns = decorators.flatMap((decorator) => {
    if (decorator.kind !== "call") return [];
    return decorator.args.flatMap(({ name, value }) => {
      if (value.kind === "literal" && typeof value.value === "string")
        return [...value.value.matchAll(required)].flatMap(([, of, pattern]) => (of === placeholder ? [pattern] : []));
      if (value.kind !== "collection" || !/^\$?requirements$/.test(name ?? "")) return [];
      return value.entries.flatMap(({ key, value: pattern }) =>
        key?.kind === "literal" && key.value === placeholder && pattern.kind === "literal" ? [pattern.value] : [],
      );
    });
  });
  const [pattern, ...others] = patterns;
  return typeof pattern === "string" && others.length === 0 ? cleanedByPattern(run.catalogue, pattern, true, false) : 0;
}

/** `$app->get("/notes/{id:[0-9]+}", function ($request, $response, $args) { ... })`: what the pattern cleans, by the names of variables. */
export function variablesCleaned(run: Run, { args: [path] }: Call): ReadonlyMap<string, Families> | null {
  if (run.language !== "php" || path?.value.kind !== "literal" || typeof path.value.value !== "string") return null;
  const found = [...path.value.value.matchAll(placeholders)].map(([, name = "", pattern = ""]): [string, Families] => [
    name,
    cleanedByPattern(run.catalogue, pattern.trim(), true, false),
  ]);
  return found.length > 0 ? new Map(found) : null;
}

/** How many routes have a placeholder of this name. */
function routesWith(decorators: readonly Expression[], placeholder: string): number {
  const names = (text: unknown) =>
    typeof text === "string" && [...text.matchAll(/\{!?(\w+)/g)].some(([, name]) => name === placeholder);
  return decorators.filter(
    (d) => d.kind === "call" && d.args.some(({ value }) => value.kind === "literal" && names(value.value)),
  ).length;
}

const required = /\{!?(\w+)<((?:[^<>{}]|\{[\d,]*\})+)>/g;

const placeholders = /\{\s*(\w+)\s*:((?:[^{}"]|\{[\d,]*\})+)\}/g;

/**
 * The class whose constraints a framework looks at before it passes such an object: "OrderQuery", or "OrderQuery@Create,Publish" of some
 * groups only; null where it does not, or where nobody asks what it has found.
 */
export function validatedAs(run: Run, frame: Frame, fn: FunctionNode, index: number): string | null {
  const param = fn.params[index] as Parameter;
  if (!looksAtFields.has(run.language) || !param.type) return null;
  for (const decorator of param.decorators) {
    const validation = asksFor(run, frame, decorator, "fields");
    if (!validation) continue;
    const reported = fn.params[index + 1];
    const isReported =
      reported !== undefined &&
      typedAs(run, frame, reported.type).paths.some((path) => (validation.report?.find(path).length ?? 0) > 0);
    if (isReported && !asksForErrors.test(run.text.slice(fn.start, fn.end))) return null;
    const groups = decorator.kind === "call" ? classesIn(run, decorator.args[0]?.value) : [];
    const type = lastSegment(param.type.replace(/<.*$/s, ""));
    return groups.length === 0 ? type : `${type}${ofGroup}${groups.join()}`;
  }
  return null;
}

/** Languages of frameworks that hold an object against what stands before the fields of its class. */
const looksAtFields: ReadonlySet<string> = new Set(["java", "php"]);

/** How handlers ask a report for what was wrong. */
const asksForErrors = /\.\s*(has\w*Errors|get\w*Errors?(Count)?|allErrors|fieldErrors|errorCount)\b/;

/** What the constraints of the fields of a class clean: "sort", and "sort@Create" where they belong to a group. */
export function fieldConstraints(
  run: Run,
  frame: Frame,
  { body, decorators: own }: ClassStatement,
): ReadonlyMap<string, Families> {
  if (!looksAtFields.has(run.language)) return noConstraints;
  const found = body.flatMap((member) => {
    const { name, decorators } = annotated(member);
    return decorators.length === 0
      ? []
      : [...cleanedInGroups(run, frame, decorators)].map(([group, clean]) => [keyOf(name, group), clean] as const);
  });
  // What an annotation of one's own is annotated with holds where it stands.
  const composed = own.length === 0 ? 0 : (cleanedInGroups(run, frame, own).get(plainGroup) ?? 0);
  if (composed !== 0) found.push(["", composed]);
  return found.length === 0 ? noConstraints : new Map(found);
}

/** What other files ask of the fields of a class; of an annotation, what it asks of what it stands before. */
export function constrainedElsewhere(
  run: Run,
  frame: Frame,
  { name, body, decorators }: ClassStatement,
): ClassInfo["constrainedBy"] {
  if (run.language !== "java") return nobodyElse;
  const own = decorators.flatMap((decorator) => asked(run, frame, decorator));
  const clean = own.length > 0 ? [...own, ...referredTo(run, frame, decorators)] : [];
  const fields = body.flatMap((member): [string, string[]][] => {
    if (member.kind === "function") return [];
    const field = annotated(member);
    const targets =
      field.name === name
        ? []
        : [
            ...referredTo(run, frame, field.decorators),
            ...patternsElsewhere(run, frame, field.decorators).map(({ target }) => target),
          ];
    return targets.length > 0 ? [[field.name, targets]] : [];
  });
  return clean.length + fields.length === 0
    ? nobodyElse
    : new Map([...fields, ...(clean.length > 0 ? [["", clean] as const] : [])]);
}

export const nobodyElse: ClassInfo["constrainedBy"] = new Map();

/** The methods that a constraint of one's own leaves it to. */
function asked(run: Run, frame: Frame, decorator: Expression): string[] {
  if (decorator.kind !== "call") return [];
  return run.knowledge.constraints.findAll(calleeOf(run, frame, decorator).paths).flatMap(({ asks }) => {
    const named = asks && decorator.args.find(({ name }) => name === asks.argument);
    return classesIn(run, named?.value).map((type) => `${pathOfClass(frame, type)}.${asks?.method}`);
  });
}

/** UTF-16 units in which a file has said what package it belongs to, however long the licence above is. */
const headMax = 20_000;

/** The annotations that may be the project's: of the same package, or of one that begins alike. */
function referredTo(run: Run, frame: Frame, decorators: readonly Expression[]): string[] {
  return decorators.flatMap((decorator) => {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    if (callee.kind !== "variable") return [];
    const path = pathOfClass(frame, callee.name);
    const [, home = ""] = run.text.slice(0, headMax).match(/^[ \t]*package\s+(\w+(?:\.\w+)?)/m) ?? [];
    return !path.includes(".") || path.startsWith(`${home}.`) ? [path] : [];
  });
}

const pathOfClass = ({ scope }: Frame, name: string): string =>
  scope
    .binding(name)
    ?.get(name)
    ?.paths.find((path) => path.endsWith(`.${name}`)) ?? name;

/** What an object that was validated carries in a field. */
export const constrainedField = (info: ClassInfo, name: string, taint: readonly Taint[]): readonly Taint[] =>
  info.constrained === noConstraints
    ? taint
    : taint.flatMap((t) => {
        const groups = groupsOf(t.source.validated, info.node.name);
        const clean = groups.reduce((all, group) => all | (info.constrained.get(keyOf(name, group)) ?? 0), 0);
        return cleaned(tainted([t]), clean).taint;
      });

/** The groups whose constraints hold for an object of this class; none where it is another class that was validated. */
export function groupsOf(validated: string | null | undefined, type: string): readonly string[] {
  const [name, groups = plainGroup] = (validated ?? "").split(ofGroup);
  return name === type ? groups.split(",") : [];
}

export const keyOf = (field: string, group: string): string =>
  group === plainGroup ? field : `${field}${ofGroup}${group}`;

/** A field of a class with its annotations, or the property that an annotated getter is for. */
function annotated(member: Statement): { name: string; decorators: readonly Expression[] } {
  if (member.kind === "function") return { name: propertyOf(member.fn.name), decorators: member.fn.decorators };
  const field = member.kind === "expression" && member.value.kind === "assign" ? member.value : null;
  if (field?.to.kind !== "variable") return { name: "", decorators: [] };
  const { from, decorators = from.kind === "unknown" ? from.reads : [] } = field;
  return { name: field.to.name, decorators };
}

/** What decorators clean together, by the groups that they belong to. */
function cleanedInGroups(run: Run, frame: Frame, decorators: readonly Expression[]): ReadonlyMap<string, Families> {
  const found = new Map<string, Families>();
  for (const decorator of decorators) {
    if (decorator.kind !== "call") continue;
    const clean = cleanedBy(run, frame, decorator);
    if (clean === 0) continue;
    const groups = classesIn(run, decorator.args.find(({ name }) => name === "groups")?.value);
    for (const group of groups.length === 0 ? [plainGroup] : groups) found.set(group, (found.get(group) ?? 0) | clean);
  }
  return found;
}

function cleanedBy(run: Run, frame: Frame, decorator: Call): Families {
  const constraints = run.knowledge.constraints.findAll(calleeOf(run, frame, decorator).paths);
  return constraints.reduce((all, { pattern, cleans }) => {
    const value = pattern === null ? undefined : argumentsAt(subjectOfDecorator(run, frame, decorator), pattern)[0];
    const [text, ...others] = value?.constants ?? [];
    if (typeof text !== "string" || others.length > 0) return all | cleans;
    return all | cleanedByPattern(run.catalogue, text, true, false);
  }, 0);
}

/** `@Pattern(regexp = Patterns.NAME)`: the pattern is a constant of another file, which linking knows. */
function patternsElsewhere(run: Run, frame: Frame, decorators: readonly Expression[]): readonly Passage[] {
  return decorators.flatMap((decorator) => {
    if (decorator.kind !== "call") return [];
    return run.knowledge.constraints.findAll(calleeOf(run, frame, decorator).paths).flatMap(({ pattern }) => {
      const value = pattern === null ? undefined : argumentsAt(subjectOfDecorator(run, frame, decorator), pattern)[0];
      return value?.constants === null ? (byNamed(run, frame, value, "whole", "true") ?? []) : [];
    });
  });
}

const asksFor = (run: Run, frame: Frame, decorator: Expression, of: "parameters" | "fields") =>
  run.knowledge.validations.findAll(calleeOf(run, frame, decorator).paths).find((validation) => validation.of === of);

/** `{ Create.class, Order.Publish.class }`, by their simple names. */
const classesIn = (run: Run, value: Expression | undefined): string[] =>
  value
    ? [...run.text.slice(value.start, value.end).matchAll(/\b(\w+)(?:(?:\.|::)class)?\s*(?=[,}\])]|$)/g)].map(
        ([, name = ""]) => name,
      )
    : [];
