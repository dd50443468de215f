import type { LinkRecord } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { candidateOf, type FileContext } from "../findings/candidates.ts";
import { isOfProject, targetOf } from "../interpret/calls/handover.ts";
import { nameOfMethod } from "../interpret/calls/overloads.ts";
import { registeredBy } from "../interpret/calls/registries.ts";
import { hasRights, isStored } from "../interpret/guards/rights.ts";
import { givenBy } from "../interpret/names.ts";
import { sharedBy } from "../interpret/objects/shared-state.ts";
import type { Run } from "../interpret/run.ts";
import type { Hit } from "../interpret/summary.ts";
import type { ClosureValue, Value } from "../interpret/value.ts";
import type { ClassStatement, Expression, FunctionNode } from "../ir/ir.ts";
import { constantsOf } from "./constant-records.ts";
import { declaredElsewhere, declaredOf, kindsOf } from "./declared-fields.ts";
import { byCodeUnits } from "./order.ts";
import { outsideOf, Recorder, sharedMax } from "./recorder.ts";

/** What a file that is not code tells the others. */
export const noLinks: LinkRecord = { exports: [], calls: [], pending: [], stores: [], aliases: [], classes: [] };

const pendingMax = 200;
/** Fields of the classes of one file that may have an object of another class. */
const fieldsMax = 300;

/** Collects what other files need to know about one that has been interpreted. */
export function linkRecordOf(catalogue: Catalogue, file: FileContext, run: Run, hits: readonly Hit[]): LinkRecord {
  const record = new Recorder(catalogue, file, run);
  const pending = hits.flatMap((hit) => {
    const source = hit.flow?.source;
    return source?.outside
      ? [{ ...outsideOf(file.shown, source.outside, source), candidate: candidateOf(file, hit) }]
      : [];
  });
  return {
    exports: [
      ...[...exportsOf(run)].flatMap(([name, closure]) => record.exported(name, closure)),
      ...constantsOf(catalogue, run, file.shown),
    ],
    calls: [...run.handovers.values()].map((call) => ({ ...record.handover(call), from: record.origin(call.source) })),
    pending: pending.slice(0, pendingMax),
    stores: [
      ...[...run.stores.values()].map(({ field, within, part, taint, at }) => ({
        field,
        within,
        ...(part !== undefined && { part }),
        from: record.origin(taint.source),
        ...record.way(taint, at),
      })),
      ...sharedBy(run)
        .slice(0, sharedMax)
        .map((shared) => record.store(shared)),
    ],
    ...(run.texts.size > 0 && {
      texts: [...run.texts.values()].flatMap((of) => [...of.values()].map((text) => candidateOf(file, text))),
    }),
    ...(run.askedNames.size > 0 && { asked: [...run.askedNames.values()] }),
    aliases: [...run.aliases.values(), ...factoriesOf(run)],
    classes: classesOf(run),
    ...(run.mapperCalls.size > 0 && { mapperCalls: [...run.mapperCalls].sort(byCodeUnits) }),
    ...(run.givenFunctions.size > 0 && {
      givenFunctions: [...run.givenFunctions.values()].map((given) => record.given(given)),
    }),
    ...(run.givenObjects.size > 0 && { givenObjects: [...run.givenObjects.values()] }),
    ...(run.wirings.size > 0 && { wirings: [...run.wirings.values()] }),
    ...listensOf(run),
    ...declaredOf(catalogue, run),
    ...declaredElsewhere(run),
    ...kindsOf(run),
    ...(run.routed.length > 0 && { routed: run.routed }),
    ...(run.cleanedEverywhere.all !== 0 && { cleans: catalogue.namesOf(run.cleanedEverywhere.all) }),
    ...(run.cleanedEverywhere.declared !== 0 && { cleansDeclared: catalogue.namesOf(run.cleanedEverywhere.declared) }),
  };
}

/** What other files can call: what is exported, and what they get from what makes it: `require("./orders")(db).find`, `makeOrders(db).find`. */
function exportsOf(run: Run): ReadonlyMap<string, ClosureValue> {
  if (run.language === "python") return withDecorators(run);
  if (run.language !== "javascript") return run.exports;
  const all = new Map(run.exports);
  for (const [name, { fn }] of run.exports) {
    // What is the whole module goes by the name of that.
    const within = name === "default" ? "" : `${name}.`;
    const made = run.summaries.get(fn)?.returns;
    const type = made?.instance ?? made?.type;
    const given = made?.closures[0];
    const members = [
      ...(given && !given.owner ? [[givenBy(name), given] as const] : []),
      ...[...(made?.slots?.entries ?? [])].map(([key, { closures }]) => [`${within}${key}`, closures[0]] as const),
      ...[...(type?.methods ?? [])].map(([key, closure]) => [`${type?.node.name}.${key}`, closure] as const),
    ];
    for (const [key, closure] of members) if (closure && !all.has(key)) all.set(key, closure);
  }
  return all;
}

/** `@with_account("owner")`: what decorates a function, by what gives it. */
function withDecorators(run: Run): ReadonlyMap<string, ClosureValue> {
  const all = new Map(run.exports);
  for (const [name, { fn, owner }] of run.exports) {
    const given = run.summaries.get(fn)?.returns.closures[0];
    if (given?.fn.params.length !== 1) continue;
    if (owner ? registeredBy(run, given.fn).length > 0 : !given.owner) all.set(givenBy(name), given);
  }
  return all;
}

/**
 * What gives an object in Python goes by the class of that: `get_service().find`, `Order.objects.find`, where a class keeps one for all. In
 * JavaScript it may be any of several, `makeStore(kind).find`, or a function: `handlerOf(kind)(order)`.
 */
function factoriesOf(run: Run): LinkRecord["aliases"] {
  if (run.language === "javascript") return [...run.exports].flatMap(([name, { fn }]) => givenElsewhere(run, name, fn));
  if (run.language !== "python") return [];
  const functions = [...run.exports].flatMap(([name, { fn, owner }]): [string, Value | undefined][] => {
    const made = owner && !isProperty(fn) ? undefined : run.summaries.get(fn)?.returns;
    return [[name, made?.slots?.shape === "list" && made.slots.rest ? made.slots.rest : made]];
  });
  const fields = run.classes.flatMap(({ node, fields }) =>
    [...fields].map(([name, value]): [string, Value] => [`${node.name}.${name}`, value]),
  );
  return [...functions, ...fields.slice(0, fieldsMax)].flatMap(([name, given]) => {
    const own = given?.instance?.node.name;
    const targets = own !== undefined ? [own] : given ? classesMaking(run, given) : [];
    return targets.map((target) => ({ name, target }));
  });
}

/** What a function of JavaScript gives that other files have: an object of a class, or a function. */
function givenElsewhere(run: Run, name: string, fn: FunctionNode): LinkRecord["aliases"] {
  const { paths = [], instance } = run.summaries.get(fn)?.returns ?? {};
  const targets = paths.filter((path) => isOfProject.test(path) && /^[^()[\]]+$/.test(path)).slice(0, givenMax);
  return [...(instance ? [instance.node.name] : []), ...targets].map((target) => ({
    name: instance || /(^|\.)\p{Lu}[^./]*$/u.test(target) ? name : givenBy(name),
    target,
  }));
}

/** Classes that a function chooses from. */
const givenMax = 4;

/** `container.orders.find(name)` */
const isProperty = ({ decorators }: FunctionNode): boolean =>
  decorators.some((d) => (d.kind === "variable" || d.kind === "field") && /^(cached_)?property$/.test(d.name));

/** A factory that gives objects of more classes than this gives any. */
const madeMax = 4;

/** The classes of other files that an object may be made of, by themselves or by a method that belongs to one: `OrderQuery.as_manager()`. */
function classesMaking(run: Run, { paths }: Value): readonly string[] {
  const made = paths.flatMap((path) => path.match(madeByClass)?.[1] ?? []);
  return [...new Set(made.flatMap((path) => targetOf(run, null, [path]) ?? []))].slice(0, madeMax);
}

const madeByClass = /^(.*\.\p{Lu}\w*)(?:\.\w+)?\(\)$/u;

function classesOf(run: Run): LinkRecord["classes"] {
  const classes = run.classes.map(({ node, bases, fields }) => ({
    ...fieldTypes(run, fields),
    ...(fillsRights(run.language, node) && { rights: true as const }),
    ...(node.asks && { asks: node.asks }),
    ...importedBases(run, bases),
    name: node.name,
    bases: [
      ...bases.flatMap((base, i) => {
        const names = base.paths.map((path) => path.slice(path.lastIndexOf(".") + 1).replace(/^\?|\(\)$/g, ""));
        // What a file of JavaScript exports by default is called as who imports it likes, and mostly as it is.
        return run.language === "javascript"
          ? names.map((name) => (/\W|^[cm]?[jt]sx?$/.test(name) ? writtenName(node.bases[i]) : name))
          : names;
      }),
      ...(node.interfaces ?? []),
    ],
  }));
  return classes.filter((entry) => entry.bases.length > 0 || "rights" in entry);
}

/** Whether requests are bound to such a class, and what they fill says what somebody may do. */
const fillsRights = (language: string, node: ClassStatement): boolean =>
  (language === "go" || language === "csharp" || (language === "java" && isStored(node))) && hasRights(node);

const writtenName = (base: Expression | undefined): string =>
  base?.kind === "variable" || base?.kind === "field" ? base.name : "";

/** `import { Job } from "./job"`, `class ListJob extends Job`: what a class of JavaScript extends is what it was imported as. */
function importedBases(run: Run, bases: readonly Value[]): { imported?: string[] } {
  if (run.language !== "javascript") return {};
  const imported = bases.flatMap(({ type, paths }) => (type ? [] : paths.filter((path) => isOfProject.test(path))));
  return imported.length > 0 ? { imported } : {};
}

function listensOf({ exports, listeners }: Run): Pick<LinkRecord, "listens"> {
  if (listeners.size === 0) return {};
  const listens = [...exports].flatMap(([name, { fn }]) => {
    const event = listeners.get(fn);
    return event === undefined ? [] : [{ event, name: nameOfMethod(name) }];
  });
  return { listens };
}

/** The types of fields, where the methods of a class may stand in other files than its fields. */
function fieldTypes(run: Run, fields: ReadonlyMap<string, Value>): { fields?: Record<string, string> } {
  if (run.language !== "go") return {};
  const typed = [...fields].flatMap(([name, { paths }]) => {
    const type = paths.find((path) => path.startsWith("~") || path.includes("/"));
    return type === undefined ? [] : [[name, type] as const];
  });
  return typed.length === 0 ? {} : { fields: Object.fromEntries(typed) };
}
