import type { ExportedFunction, Handover, LinkRecord, LocalStep, Origin, Way } from "../artefact.ts";
import { type Catalogue, escaped, type Families } from "../catalogue/catalogue.ts";
import { lastSegment, ownerOf } from "../catalogue/paths.ts";
import { candidateOf, type FileContext, nameMax, traceOf } from "../findings/candidates.ts";
import { excerptOf } from "../findings/excerpt.ts";
import { keepsGiven, partOfObject } from "../interpret/calls/filled-arguments.ts";
import { givenVariants } from "../interpret/calls/given-variants.ts";
import { isSame } from "../interpret/calls/handover.ts";
import { hasOverloads, nameOfMethod, typesTaken } from "../interpret/calls/overloads.ts";
import { partsOf, partsOfResult } from "../interpret/calls/parts.ts";
import { type GivenFunction, registeredBy } from "../interpret/calls/registries.ts";
import { partsThrown } from "../interpret/calls/thrown-values.ts";
import { askingObject } from "../interpret/guards/asked-objects.ts";
import { guardedParts } from "../interpret/guards/prefixed.ts";
import { askedKey } from "../interpret/names.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { type Shared, sharedFrom } from "../interpret/objects/shared-state.ts";
import type { Run } from "../interpret/run.ts";
import type { Handover as Handed, Summary } from "../interpret/summary.ts";
import { looksAtFields } from "../interpret/validators/asked-names.ts";
import {
  allTaint,
  type ClassInfo,
  type ClosureValue,
  type Source,
  type Taint,
  type Value,
} from "../interpret/value.ts";
import { allFurther, type FunctionNode, type Parameter, type Span, wholeMap } from "../ir/ir.ts";
import type { ShownConstants } from "../secrets/shown-constants.ts";
import { cleanedNames, insideQuotes } from "./cleaned.ts";
import { isConstructor } from "./exported.ts";
import { givesRecord, isRecord } from "./record-types.ts";
import { shortened } from "./shortened-methods.ts";

/** Whose objects of other files are told by what lies in which of their fields. */
const keepsByName: ReadonlySet<string> = new Set(["javascript", "python", "java", "php", "csharp"]);

/** Whose modules keep something for all who import them. */
const keepsInModules: ReadonlySet<string> = new Set(["javascript", "python"]);

/** More than this many ways out of one function make a record that costs more than it tells. */
const returnsMax = 40;
/** What an answer of a server has beside the page that it is. */
const besidesPage =
  /^(headers|cookies|status(_code)?|mimetype|content_(type|length|disposition)|last_modified|expires|cache_control)([.!]|$)/;
/** The part of a way that lies in one file, shorter where it is not known to begin with input: most of these never become a finding. */
const stepsMax = 4;
/** The same for those that frameworks fill: nobody asks for more of what comes in at once. */
const filledMax = 20;
/** The same of what a method puts into its object. */
const putMax = 10;
/** The same of what it throws. */
const thrownMax = 10;
/** Values that a file, or a function of it, keeps for others of its package. */
export const sharedMax = 100;

const asksFor = ({ conditions }: Pick<Handed, "conditions">) => (conditions?.length ? { conditions } : {});

/** What linking has to ask for, as a place that it comes from. */
export function outsideOf(shown: ShownConstants, outside: string, { count, told: all }: Source) {
  const told = shown.told(all);
  return { outside, ...(count !== null && { count }), ...(told && { told }) };
}

/** Writes down what one function does with what it is given, and what comes of it. */
export class Recorder {
  readonly #catalogue: Catalogue;
  readonly #file: FileContext;
  readonly #run: Run;

  constructor(catalogue: Catalogue, file: FileContext, run: Run) {
    this.#catalogue = catalogue;
    this.#file = file;
    this.#run = run;
  }

  given(given: GivenFunction): GivenFunction {
    return this.#file.shown.beside(given);
  }

  /** @throws TimeUp */
  exported(name: string, closure: ClosureValue): ExportedFunction[] {
    this.#run.limit.check();
    const summary = this.#run.summaries.get(closure.fn);
    if (!summary) return [];
    const { fn } = closure;
    const flows = summary.flows.map((flow) => {
      const param = fn.params[flow.parameter] ?? fn;
      const source = this.#run.source("parameter", param, 1, { fn, index: flow.parameter });
      const found = { ...flow, flow: { source, step: flow.step, via: flow.via } };
      const candidate = candidateOf(this.#file, found);
      const isWhole = flow.match.unless.some(({ shape }) => shape === "map");
      return {
        parameter: flow.parameter,
        field: flow.field,
        candidate,
        clean: this.#catalogue.namesOf(flow.clean),
        ...(isWhole && { whole: true as const }),
        ...asksFor(flow),
      };
    });
    const passes = summary.passes.map((pass) => ({
      ...this.handover(pass),
      parameter: pass.source.parameter?.index ?? 0,
      of: pass.source.parameter?.field,
    }));
    const parameters = fn.params.map(({ name, byName, rest }) =>
      byName ? `${wholeMap}${name}` : rest ? `${allFurther}${name}` : name,
    );
    // Overloads go by one name: callers of other files may mean any of them.
    const keeps = this.#keeps(closure, summary);
    const filled = this.#filled(closure, summary);
    const looks = this.#run.looks.get(fn);
    const lets = this.#run.letThrough.get(fn);
    const registers = registeredBy(this.#run, fn);
    const variants = givenVariants(this.#run, closure);
    const shown = hasOverloads.has(this.#run.language) ? nameOfMethod(name) : name;
    const made =
      this.#run.language === "php"
        ? madeBy(summary, closure.owner !== null)
        : closure.owner
          ? summary.returns.instance?.node.name
          : undefined;
    const plain = this.#plainFields(closure);
    const isSelf = closure.owner && summary.returns.paths.includes("?this");
    const types = hasOverloads.has(this.#run.language) ? typesTaken(closure) : undefined;
    const exported: ExportedFunction = {
      name: shown,
      parameters,
      ...(types && { types }),
      flows,
      passes,
      returns: [...this.#returns(closure, summary), ...this.#thrown(closure, summary)],
      guards: [...this.#guards(summary), ...this.#guardsOfObject(closure)],
      ...this.#givenOfObject(closure),
      ...(variants.length > 0 && {
        variants: variants.map(({ returns, ...asked }) => ({
          ...asked,
          returns: this.#returns(closure, { ...summary, returns }),
        })),
      }),
      ...(filled.length > 0 && { filled }),
      ...(keeps.length > 0 && { keeps }),
      ...(looks && { looks }),
      ...(registers.length > 0 && { registers }),
      ...(lets && {
        lets: [...lets].map(([field, via]) => ({
          field,
          ...(via.length > 0 && { via: this.#file.shown.passages(via) }),
        })),
      }),
      ...(summary.leaves && { leaves: true as const }),
      ...(closure.owner && isDeclared(this.#run, fn) && { open: true as const }),
      ...(this.#run.language === "php" && looksAtFields(fn) && { validates: true as const }),
      ...(this.#run.language === "php" && closure.owner && fn.receiver === null && { static: true as const }),
      ...(made !== undefined && { makes: made }),
      ...(plain.length > 0 && { plain }),
      ...(isSelf && { self: true as const }),
    };
    const short = closure.owner ? shortened(this.#run, exported) : null;
    return short ? [exported, short] : [exported];
  }

  #returns({ fn, owner }: ClosureValue, { returns, given, keeps }: Summary): ExportedFunction["returns"] {
    const made = partsOfResult(this.#run, returns).flatMap(([field, part]) => part.map((taint) => ({ field, taint })));
    const { language } = this.#run;
    const putInto = (into: ClassInfo | null) =>
      keeps
        .flatMap((kept) =>
          into !== null && kept.into === into && keepsGiven.has(language) ? allTaint(kept.value) : [],
        )
        .filter(({ source }) => source.parameter?.fn === fn);
    const put = putInto(owner);
    // `where(clause) { this.clauses.push(clause); return this; }`: the object has what the method was given, and so has one that was made
    // of it. Only of Java linking knows which field has what.
    const isWhole = !hasOverloads.has(language) || (returns.instance === owner && returns.paths.includes("?this"));
    const kept = this.#isOfFields(fn, returns) ? keptInMade(fn, returns.instance, keeps) : null;
    const { instance } = returns;
    const all = isWhole
      ? [...made, ...(kept ?? putInto(returns.instance).map((taint) => ({ field: undefined, taint })))]
      : made;
    const placed = language === "python" && instance ? all.flatMap((part) => withPlace(instance, part)) : all;
    // What a builder makes has what its methods were given.
    const isMade = fn.receiver !== null && !returns.paths.includes("?this");
    // Fields of what a factory makes are those of one object, whoever else has made such.
    const isOwn = ({ taint: { source }, field }: { taint: Taint; field?: string | undefined }) =>
      this.#run.language === "php" ||
      !source.parameter ||
      source.parameter.fn === fn ||
      this.#keptByModule(source, fn) !== undefined ||
      ((field === undefined || isMade) && this.#isOfClass(source.parameter.fn, owner));
    return [
      ...placed.filter(isOwn).slice(0, returnsMax),
      ...(owner ? this.#fields(fn, owner, keeps) : []),
      ...[...given, ...put.slice(0, putMax).map((taint) => ({ part: partOfObject, taint }))]
        .filter(isOwn)
        .map(({ part, taint }) => ({ field: part, taint })),
    ].map(({ field, taint }) => ({
      from: this.#keptIn(fn, taint.source) ?? this.origin(taint.source),
      field,
      ...(field === undefined && isSame(this.#run, returns, taint) && { same: true as const }),
      ...(this.#run.language === "javascript" &&
        (isRecord(fn.result) || givesRecord(returns, taint, field)) && { record: true as const }),
      ...this.#escapedWay(besidesPage.test(field ?? "") ? this.#noPage(taint) : taint),
    }));
  }

  /** What it says to whoever catches it of what it was given, or of input of its own. */
  #thrown({ fn }: ClosureValue, { throws }: Summary): ExportedFunction["returns"] {
    return partsThrown(this.#run, throws)
      .flatMap(([field, taint]) => taint.map((one) => ({ field, taint: one })))
      .filter(({ taint: { source } }) => !source.parameter || source.parameter.fn === fn)
      .slice(0, thrownMax)
      .map(({ field, taint }) => ({ from: this.origin(taint.source), field, ...this.way(taint, taint.step) }));
  }

  /** Whether a function of Python gives an object that it has made, of a class of its file: `cls(request.args["name"], "all")`. */
  #isOfFields(fn: FunctionNode, { instance, paths }: Value): boolean {
    return this.#run.language === "python" && instance !== null && !isConstructor(fn.name) && !paths.includes("?this");
  }

  /** How far what a function gives is safe inside of quotes only, see outsideQuotes. */
  #escapedWay(taint: Taint): Way {
    const way = this.way(taint, taint.step);
    return (taint.clean & escaped) === 0 ? way : { ...way, clean: [...way.clean, insideQuotes] };
  }

  /** `constructor(name) { this.title = name; }`: which field of the object has what of the parameters. */
  #fields(fn: FunctionNode, owner: ClassInfo, keeps: Summary["keeps"]): { field: string; taint: Taint }[] {
    if (!isConstructor(fn.name) || !keepsByName.has(this.#run.language)) return [];
    const given = keeps
      .flatMap(({ into, name, value }) =>
        into === owner ? allTaint(value).map((taint) => ({ field: name, taint })) : [],
      )
      .filter(({ taint }) => taint.source.parameter?.fn === fn);
    return [...given, ...this.#ownInput(owner)].flatMap((kept) => withPlace(owner, kept)).slice(0, returnsMax);
  }

  /** `constructor(req) { this.title = req.query.title; }`: input that a class puts into fields itself, as others read it. */
  #ownInput({ fields }: ClassInfo): { field: string; taint: Taint }[] {
    const isOwn = ({ source: { parameter, outside } }: Taint) => parameter === null && !outside?.startsWith("#");
    return [...fields].flatMap(([name, value]) =>
      partsOf(this.#run, value).flatMap(([part, taint]) =>
        taint.filter(isOwn).map((taint) => ({ field: part === undefined ? name : `${name}${fieldOf}${part}`, taint })),
      ),
    );
  }

  /** `constructor(id) { this.id = Number(id); }`: nothing of the parameter is in that field, as far as the class says. */
  #plainFields({ fn, owner }: ClosureValue): string[] {
    if (this.#run.language !== "javascript" || !owner || !isConstructor(fn.name) || fn.params.length === 0) return [];
    return [...owner.fields]
      .flatMap(([name, value]) => (allTaint(value).length === 0 && value.closures.length === 0 ? [name] : []))
      .slice(0, returnsMax);
  }

  /** What is made of parameters that frameworks of Python fill by their types alone, be it a result or the fields of an object. */
  #filled({ fn, owner }: ClosureValue, { keeps, returns }: Summary): ExportedFunction["returns"] {
    if (this.#run.language !== "python" || (owner && fn.name !== "__init__")) return [];
    const parts: [field: string | undefined, taint: readonly Taint[]][] = owner
      ? keeps.flatMap(({ into, name, value }) => (into === owner ? [[name, allTaint(value)]] : []))
      : partsOfResult(this.#run, returns);
    return parts
      .flatMap(([field, part]) => part.map((taint) => ({ field, taint })))
      .filter(({ taint: { source } }) => source.parameter?.fn === fn && isText(fn, source.parameter.index))
      .slice(0, filledMax)
      .map(({ field, taint }) => {
        const { index } = taint.source.parameter as NonNullable<Source["parameter"]>;
        const source = this.#run.source("http-query", fn.params[index] ?? fn);
        return { from: this.origin(source), field, ...this.way({ ...taint, source }, taint.step) };
      });
  }

  #noPage(taint: Taint): Taint {
    return { ...taint, clean: taint.clean | this.#catalogue.bitsOf(["xss"]) };
  }

  /** A parameter of another method, which the object has kept in a field, or the class in one of its own. */
  #keptIn(method: FunctionNode, source: Source): Origin | null {
    const { parameter } = source;
    if (!parameter || parameter.fn === method) return null;
    const { fn, index, field } = parameter;
    const byModule = this.#keptByModule(source, method);
    const of = byModule === undefined ? this.#keptByClass(fn, method) : ownerOf(byModule);
    return {
      kept: {
        method: byModule === undefined ? fn.name : lastSegment(byModule),
        parameter: index,
        ...(field !== undefined && { field }),
        ...(of !== undefined && { of }),
        ...(this.#isOverloaded(fn) && { count: fn.params.length }),
      },
    };
  }

  /**
   * `let tenant; export const setTenant = (name) => { tenant = name; }`: the name of a function by which a module of JavaScript or Python, or the
   * one object of a class that it exports, keeps something as it is for all who ask. What lies under keys is not asked for.
   */
  #keptByModule(source: Source, giving: FunctionNode): string | undefined {
    const keeping = source.parameter?.fn;
    if (!keeping || keeping === giving || !keepsInModules.has(this.#run.language)) return undefined;
    const owner = this.#run.closures.get(keeping)?.owner ?? null;
    if (owner !== (this.#run.closures.get(giving)?.owner ?? null)) return undefined;
    if (owner && !this.#run.aliases.values().some(({ target }) => target === owner.node.name)) return undefined;
    const isAsItIs = this.#run.summaries
      .get(keeping)
      ?.keeps.some(({ value }) => value.taint.some((taint) => taint.source === source));
    return isAsItIs ? this.#run.exports.entries().find(([, { fn }]) => fn === keeping)?.[0] : undefined;
  }

  #isOverloaded(fn: FunctionNode): boolean {
    const methods = this.#run.closures.get(fn)?.owner?.methods;
    return (
      hasOverloads.has(this.#run.language) &&
      methods?.keys().some((key) => key !== fn.name && nameOfMethod(key) === fn.name) === true
    );
  }

  /** Whether what one method has from another is what an object of Java keeps between them. */
  #isOfClass(keeping: FunctionNode, owner: ClassInfo | null): boolean {
    return hasOverloads.has(this.#run.language) && owner !== null && this.#run.closures.get(keeping)?.owner === owner;
  }

  /** The class of two methods of Java that belong to no object: what one of them keeps the other has, whoever asks it. */
  #keptByClass(keeping: FunctionNode, giving: FunctionNode): string | undefined {
    if (this.#run.language !== "java" || keeping.receiver !== null || giving.receiver !== null) return undefined;
    const owner = this.#run.closures.get(keeping)?.owner;
    return owner && owner === this.#run.closures.get(giving)?.owner ? owner.node.name : undefined;
  }

  #guards({ guard }: Summary): ExportedFunction["guards"] {
    return (["true", "false", "after", "good", "bad"] as const).flatMap((check) => [
      ...(guard[check] ?? []).flatMap((families, parameter) =>
        families === 0 ? [] : [{ check, parameter, ...this.#guarded(families) }],
      ),
      ...(guard.passages[check] ?? []).flatMap((via, parameter) =>
        via ? [{ check, parameter, clean: [], via: this.#file.shown.passages(via) }] : [],
      ),
      ...(guard.asked[check] ?? []).map(({ of, key, clean }) => {
        return { check, parameter: key, field: askedKey(of), ...this.#guarded(clean) };
      }),
    ]);
  }

  /** What a method that was asked about its object has found out of that, which is no parameter of it. */
  #guardsOfObject(closure: ClosureValue): ExportedFunction["guards"] {
    const asking = askingObject(this.#run, closure);
    const summary = asking && this.#run.summaries.get(asking.fn);
    const guards = summary ? this.#guards(summary) : [];
    return guards.flatMap((guard) => (guard.parameter === 0 ? [{ ...guard, parameter: -1 }] : []));
  }

  /** What such a method gives of its object. */
  #givenOfObject(closure: ClosureValue): Pick<ExportedFunction, "ofObject"> {
    const asking = askingObject(this.#run, closure);
    const summary = asking && this.#run.summaries.get(asking.fn);
    if (!summary) return {};
    const given = allTaint(summary.returns).filter(({ source: { parameter } }) => parameter?.fn === asking.fn);
    return { ofObject: given.map((taint) => ({ from: this.origin(taint.source), ...this.way(taint, taint.step) })) };
  }

  #guarded(families: Families): Pick<ExportedFunction["guards"][number], "clean" | "below"> {
    const { always, inShortForm } = guardedParts(this.#catalogue.bitsOf(["path_traversal"]), families);
    return { clean: cleanedNames(this.#catalogue, always), ...(inShortForm !== 0 && { below: true as const }) };
  }

  /** What others of the package find under a name. */
  store({ name, part, isOwn, same, taint }: Shared): LinkRecord["stores"][number] {
    return {
      field: name,
      within: "",
      part,
      ...(isOwn && { isOwn: true as const }),
      ...(same && { same: true as const }),
      from: this.origin(taint.source),
      ...this.way(taint, taint.step),
    };
  }

  /** What a function keeps of its parameters where others of the package find it. */
  #keeps({ fn }: ClosureValue, { keeps }: Summary): LinkRecord["stores"] {
    const all = keeps.flatMap(({ into, name, value }) => sharedFrom(this.#run, into, name, value));
    return all
      .filter(({ taint }) => taint.source.parameter?.fn === fn)
      .slice(0, sharedMax)
      .map((shared) => this.store(shared));
  }

  origin(source: Source): Origin {
    if (source.parameter) return { parameter: source.parameter.index, field: source.parameter.field };
    if (source.outside !== null) return outsideOf(this.#file.shown, source.outside, source);
    return {
      sourceKind: source.kind,
      source: excerptOf(this.#file.text, source, nameMax),
      confidence: source.confidence,
      ...(source.validated !== null && { validated: source.validated }),
    };
  }

  handover(call: Handed): Handover {
    const { target, argument, field, led, same, count, type, starts } = call;
    const known = this.#file.shown.of(call.known);
    const tells = known && Object.keys({ ...known.constants, ...known.parameters }).length + known.count > 0;
    // Nothing but the addresses of pages asks for it, and what callers of a library put into commands.
    const isAsked = target.startsWith("template:") || (this.#run.language === "javascript" && call.source.parameter);
    const begun = led && isAsked ? { led } : {};
    return {
      target,
      argument,
      field,
      ...begun,
      ...(same && { same: true as const }),
      ...(count !== undefined && { count }),
      ...(type !== undefined && { type }),
      ...(starts && { starts }),
      ...(tells && { known }),
      ...asksFor(call),
      ...this.way(call, call.at),
    };
  }

  way({ source, clean, step, via }: Pick<Handed, "source" | "clean" | "step" | "via">, at: Span): Way {
    const kept = source.parameter || source.outside !== null ? 2 : stepsMax;
    const trace = asSteps(traceOf(this.#file, source, step, at, kept));
    return { clean: this.#catalogue.namesOf(clean), ...(via && { via: this.#file.shown.passages(via) }), trace };
  }
}

/** What is in the fields of an object that a function has made: of what it was given, and whatever comes in from elsewhere. */
function keptInMade(fn: FunctionNode, made: ClassInfo | null, keeps: Summary["keeps"]) {
  const given = keeps.filter(({ into }) => into === made).map(({ name, value }) => [name, value] as const);
  const parts = (fields: readonly (readonly [string, Value])[], isMeant: (source: Source) => boolean) =>
    fields.flatMap(([field, value]) =>
      allTaint(value)
        .filter(({ source }) => isMeant(source))
        .map((taint) => ({ field, taint })),
    );
  return [
    ...parts(given, ({ parameter }) => parameter?.fn === fn),
    ...parts([...(made?.fields ?? [])], ({ parameter }) => parameter === null),
  ];
}

/** `name, size = found`: fields of a tuple go by their places as well. */
function withPlace<Part extends { field?: string | undefined }>({ bases, fields }: ClassInfo, part: Part): Part[] {
  const isTuple = bases.some(({ paths }) => paths.some((path) => /(^|[.?])NamedTuple$/.test(path)));
  const place = isTuple && part.field !== undefined ? [...fields.keys()].indexOf(part.field) : -1;
  return place < 0 ? [part] : [part, { ...part, field: String(place) }];
}

/** `void check(String name);` */
const isDeclared = ({ language, text }: Run, { body, end }: FunctionNode): boolean =>
  language === "java" && body.length === 0 && text[end - 1] === ";";

/** The class of what a function of PHP makes: `app()` gives the one object that there is. A method that makes one of several says nothing. */
function madeBy({ returns: { instance, paths } }: Summary, isMethod: boolean): string | undefined {
  const classes = paths.filter((path) => /^(\w+\\)*\p{Lu}\w*$/u.test(path));
  return isMethod && classes.length > 1 ? undefined : (instance?.node.name ?? classes[0]);
}

/** What a decorator tells about a parameter says by itself where it comes from. */
function isText({ params }: FunctionNode, index: number): boolean {
  const { type, decorators } = params[index] as Parameter;
  return decorators.length === 0 && /^(str|[lL]ist\[str\])$/.test(type ?? "");
}

/** The end of one file's part of the way is no sink. */
const asSteps = (trace: LocalStep[]): LocalStep[] =>
  trace.map((step) => (step.role === "sink" ? { ...step, role: "step" as const } : step));
