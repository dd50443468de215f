import type { Catalogue, Families, Match } from "../catalogue/catalogue.ts";
import type { LazyRegex } from "../catalogue/expression.ts";
import type { Knowledge } from "../catalogue/knowledge.ts";
import { excerptOf } from "../findings/excerpt.ts";
import type { Call, Expression, FunctionNode, Loop, Span } from "../ir/ir.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";
import type { Called } from "./calls/called.ts";
import type { KnownNames } from "./calls/names-of-call.ts";
import type { PathCondition, ToldArguments } from "./calls/path-conditions.ts";
import type { GivenFunction } from "./calls/registries.ts";
import type { GivenObject, Wiring } from "./calls/wirings.ts";
import type { Implied } from "./guards/implied.ts";
import { KnownAt } from "./known-at.ts";
import { joined } from "./names.ts";
import type { GoneThrough, Rewritten } from "./objects/rewritten-elements.ts";
import { readFirst, sharedNames } from "./rounds.ts";
import { Scope, type Variables } from "./scope.ts";
import type { Guard, Handover, Hit, Keep, Store, Summary } from "./summary.ts";
import type { AskedName } from "./validators/asked-names.ts";
import type { Passing } from "./validators/let-through.ts";
import type { Look, Routed } from "./validators/routed-handlers.ts";
import {
  allTaint,
  type ClassInfo,
  type ClosureValue,
  join,
  nothing,
  type Source,
  tellsSame,
  type Value,
} from "./value.ts";
import { assignmentsIn } from "./views/assignments.ts";
import { Page } from "./views/page.ts";

/** Steps of interpretation one file may take: about 200 times what an ordinary file needs. */
const stepsMax = 400_000;
/** UTF-16 units of source that are searched in the time of a step. */
const unitsOfStep = 200;
/** Nested evaluations, across calls that are followed. Each takes a few frames of our own stack. */
const depthMax = 450;
/** Places that one function stores its parameters in; more is generated. */
const keepsMax = 100;

export class BudgetExhausted extends Error {}

/** One activation of a function, or the top level of the file. */
export interface Frame {
  fn: FunctionNode | null;
  scope: Scope;
  self: Value | null;
  owner: ClassInfo | null;
  symbol: string;
  /** The statement being executed: what fingerprints are anchored to. */
  statement: Span;
  returned: Value | null;
  /** Facts that hold on every return so far; null before the first. */
  settled: ReadonlySet<string> | null;
  /** Sinks that the returned value flows into, for functions a framework calls. */
  returns: readonly Match[];
  /** Filled while a function is summarised. */
  guard: Guard | null;
  /** The types that its variables were declared with, see declared-types.ts. */
  types: Map<string, string> | null;
  loops: {
    breaks: Variables[];
    continues: Variables[];
    rewritten: Rewritten | null;
    /** Null of a switch. */
    node: Loop | null;
    through: GoneThrough | null;
  }[];
  /** The tests that hold where the statement stands, the innermost last. */
  under: Expression[];
  /** What the function's settings must be for the statement to be reached; see path-conditions.ts. */
  path: PathCondition[];
  /** The state in which the innermost try statement may be left, and of how many places it is. */
  throws: { state: Variables | null; places: number } | null;
  inlined: number;
  /** What each call in it was about and gave when it was last evaluated. */
  readonly given: Map<Call, { called: Called; value: Value }>;
  /** Whether calls are remembered instead of evaluated: what a test tells is asked after it, and that must run nothing again. */
  recalls: boolean;
}

/** Places that somebody has marked from outside, by the syntax: asked about every value that is computed there. */
export interface Marks {
  /** @returns the value as it is from there on */
  seen(run: Run, frame: Frame, at: Span, value: Value): Value;
  /** The same for a value that comes in by a parameter. */
  parameter(run: Run, at: Span, value: Value): Value;
}

/** Everything that lasts while one file is interpreted. */
export class Run {
  readonly marks: Marks | null;
  readonly limit: TimeLimit;
  readonly catalogue: Catalogue;
  readonly knowledge: Knowledge;
  readonly language: string;
  readonly text: string;
  /** Stretches of the file that the parser could not make sense of. */
  unread: readonly Span[] = [];
  /** No visitor asks for the file: what it reads of a request is what it was started with. */
  isForCommandLine = false;
  readonly hits = new Map<string, Hit>();
  readonly handovers = new Map<string, Handover>();
  /** Where in other files they go. */
  readonly places = new Set<string>();
  /** Places where text is made of input, for the sinks of other files that it may get to. */
  readonly texts = new Map<string, Map<string, Hit>>();
  /** Where pointers are made that nobody has asked about, of those that were told of. */
  readonly followed = new Set<string>();
  readonly summaries = new Map<FunctionNode, Summary>();
  readonly active = new Set<FunctionNode>();
  /** Those of them that have called themselves and are followed into that call. */
  readonly recursive = new Set<FunctionNode>();
  /** What calls went by when they were last evaluated. */
  readonly names = new Map<Call, KnownNames>();
  /** What variables were made of, while a test of the variable asks about it. */
  readonly asked = new Set<Expression>();
  /** Closures met, in order; those never called in the file are run once at the end. */
  readonly closures = new Map<FunctionNode, ClosureValue>();
  /** What functions within methods call the object that the method was called on. */
  readonly receivers = new Map<FunctionNode, string>();
  readonly visited = new Set<FunctionNode>();
  /** Fields of classes of other files that are read here. */
  readonly inherited = new Set<string>();
  /** Functions without a name of their own that the file assigns to one, under which anybody may call them. */
  readonly named = new Set<FunctionNode>();
  /** Functions that a framework calls. */
  readonly entries = new Set<FunctionNode>();
  readonly symbols = new Map<FunctionNode, string>();
  readonly #sources = new KnownAt<Source>();
  readonly #outside = new KnownAt<Source>();
  readonly exports = new Map<string, ClosureValue>();
  /** Names under which other files reach something that is not a function of this file: a path, or a class. */
  /** Functions that listen for objects of a class, by its name. */
  readonly listeners = new Map<FunctionNode, string>();
  readonly aliases = new Map<string, { name: string; target: string }>();
  readonly stores = new Map<string, Store>();
  /** Names of fields that functions of other files have looked at; see asked-names.ts. */
  readonly askedNames = new Map<string, AskedName>();
  /** Objects of other files that it hands on, and those under names; see wirings.ts. */
  readonly wirings = new Map<string, Wiring>();
  readonly givenObjects = new Map<string, GivenObject>();
  /** Functions and objects that it gives to functions of others; see registries.ts. */
  readonly givenFunctions = new Map<string, GivenFunction>();
  /** The methods of mappers that are called: "OrderMapper.find". */
  readonly mapperCalls = new Set<string>();
  /** What flags, messages and lists of errors tell of others; see implied.ts. */
  readonly implied = new WeakMap<Value, Implied>();
  /** What is put into fields of types that other files of the package declare; see shared-state.ts. */
  readonly shared = new Map<string, Value>();
  /** The variables of the file itself. */
  readonly file: Scope = new Scope(null);
  /** The file itself, as far as its variables are those of other files. */
  readonly page = new Page();
  /** Texts that rules have found to be secrets by what is done with them. */
  readonly keys = new Set<string>();
  readonly classes: ClassInfo[] = [];
  /** Schemas that other files may use, by the names they have there. */
  readonly schemas = new Map<string, Value>();
  /** The handler that is looked at, by the name that routes of other files know it by. */
  handler: string | null = null;
  /** What the function that a framework calls lets through to those behind it; see let-through.ts. */
  passing: Passing | null = null;
  /** What the file registers of others, and what its functions hold requests against; see routed-handlers.ts. */
  readonly routed: Routed[] = [];
  readonly looks = new Map<FunctionNode, Look>();
  /** The fields of the request that are harmless wherever a function passes it on; see let-through.ts. */
  readonly letThrough = new Map<FunctionNode, NonNullable<Passing["harmless"]>>();
  /** What methods of classes make sure of their fields; see checked-records.ts. */
  readonly fieldsTested = new Map<ClassInfo, ReadonlyMap<string, Families>>();
  /** What the file's application is clean for as a whole. */
  readonly cleanedEverywhere = { all: 0, declared: 0 } satisfies Record<string, Families>;
  readonly wildcards: string[] = [];
  /** What whole modules are bound to, and which. */
  readonly modules = new Map<string, string>();
  readonly #says = new Map<LazyRegex, boolean>();
  readonly #reads = new Map<Loop, ReadonlySet<string>>();
  readonly #shared = new Map<FunctionNode, ReadonlySet<string>>();
  readonly #carried = new Map<string, boolean>();
  readonly #fits = new Map<Match, Map<Span, { fn: FunctionNode | null; symbol: string; fits: boolean }>>();
  truncated = false;
  /** What the innermost `try` that is being run may have been left with; null outside of any. */
  thrown: Value | null = null;
  /** Whether what is thrown now is caught in the function that is looked at, or by one that has called it from there. */
  catching = false;
  /** The object that is being made, and what its constructor has stored in it so far. */
  made: { info: ClassInfo; fields: Map<string, Value> } | null = null;
  #assigned: Map<string, number[]> | null = null;
  /** How often something new was stored where other functions find it. */
  storings = 0;
  /** Steps at which following calls stops; from there on summaries must do. */
  followUntil = 0;
  #steps = 0;
  #depth = 0;

  constructor(
    catalogue: Catalogue,
    knowledge: Knowledge,
    language: string,
    text: string,
    marks: Marks | null = null,
    limit: TimeLimit = noLimit(),
  ) {
    this.marks = marks;
    this.limit = limit;
    this.catalogue = catalogue;
    this.knowledge = knowledge;
    this.language = language;
    this.text = text;
  }

  /** Counts work. Raises BudgetExhausted; what was found until then stands. */
  charge(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > stepsMax || this.limit.passes(steps)) throw new BudgetExhausted();
  }

  /** A stretch of the source for who searches it: functions may be as long as files, and no step is counted in between. @throws BudgetExhausted */
  stretch(start: number, end: number): string {
    if (this.limit.passes((end - start) / unitsOfStep)) throw new BudgetExhausted();
    return this.text.slice(start, end);
  }

  get steps(): number {
    return this.#steps;
  }

  /** Whether the file has this somewhere. It is the same for every call that a model asks about, and may take milliseconds. */
  says(wanted: LazyRegex): boolean {
    const known = this.#says.get(wanted) ?? wanted.test(this.text);
    this.#says.set(wanted, known);
    return known;
  }

  /** Whether the text around a statement is what a match asks for: the same each time that the statement is run. */
  fitsAt(match: Match, frame: Frame, asked: (run: Run, frame: Frame, match: Match) => boolean): boolean {
    const { statement, fn, symbol } = frame;
    const answers = this.#fits.get(match) ?? new Map();
    const known = answers.get(statement);
    if (known?.fn === fn && known.symbol === symbol) return known.fits;
    const fits = asked(this, frame, match);
    this.#fits.set(match, answers.set(statement, { fn, symbol, fits }));
    return fits;
  }

  /** Where the file assigns to a name, whatever has it. */
  assignmentsOf(name: string): readonly number[] {
    this.#assigned ??= assignmentsIn(this.text);
    return this.#assigned.get(name) ?? [];
  }

  /** The variables that a round of a loop may read before it assigns them: the same each time that the loop is run. */
  readsOf(loop: Loop): ReadonlySet<string> {
    const known = this.#reads.get(loop) ?? readFirst(loop);
    this.#reads.set(loop, known);
    return known;
  }

  /** The variables that functions written in this one may read. */
  sharedBy(fn: FunctionNode): ReadonlySet<string> {
    const known = this.#shared.get(fn) ?? sharedNames(fn);
    this.#shared.set(fn, known);
    return known;
  }

  /** Whether a path is a field of something that is handed from file to file, such as the request. */
  isCarried(path: string): boolean {
    const known = this.#carried.get(path) ?? hasCarrier(this.knowledge, path);
    this.#carried.set(path, known);
    return known;
  }

  /** Keeps what some method assigns to a field. */
  storeField(info: ClassInfo, name: string, value: Value): void {
    const before = info.fields.get(name);
    const joined = join(before ?? nothing, value);
    if (!before || !tellsSame(before, joined)) this.storings++;
    info.fields.set(name, joined);
    this.#noteKept(info, name, value);
    if (this.made?.info !== info) return;
    const known = this.made.fields.get(name);
    this.made.fields.set(name, known ? join(known, value) : value);
  }

  /** Assigns to a variable of another function: whether and when this one runs is not known, so the old value stays possible. */
  storeAround(scope: Scope, name: string, value: Value): void {
    const before = scope.get(name);
    const joined = join(before ?? nothing, value);
    if (!before || !tellsSame(before, joined)) this.storings++;
    scope.store(name, joined);
    this.#noteKept(scope, name, value);
  }

  /** What is stored is a part of what the functions do that have it from their parameters. */
  #noteKept(into: ClassInfo | Scope, name: string, value: Value): void {
    const givers = new Set<FunctionNode>();
    for (const { source } of allTaint(value)) if (source.parameter) givers.add(source.parameter.fn);
    for (const fn of givers) {
      const keeps = this.summaries.get(fn)?.keeps;
      const known = keeps?.find((keep) => keep.into === into && keep.name === name);
      if (known) known.value = join(known.value, value);
      else if (keeps && keeps.length < keepsMax) keeps.push({ into, name, value });
    }
  }

  /** Stores again what a function stores, made of other arguments. */
  keep({ into, name }: Keep, value: Value): void {
    if ("methods" in into) this.storeField(into, name, value);
    else this.storeAround(into, name, value);
  }

  /** Runs deeper work, or gives up on it where the nesting is beyond what our stack should bear. */
  deeper<N, T>(work: (run: Run, frame: Frame, node: N) => T, frame: Frame, node: N, tooDeep: T): T {
    if (this.#depth >= depthMax) {
      this.truncated = true;
      return tooDeep;
    }
    // An error ends the run, so nobody asks for the depth after one.
    this.#depth++;
    const done = work(this, frame, node);
    this.#depth--;
    return done;
  }

  /** The same place and kind is the same source, however often it is evaluated. */
  source(
    given: string,
    at: Span,
    confidence = 1,
    parameter: Source["parameter"] = null,
    validated: string | null = null,
  ): Source {
    const kind = this.isForCommandLine && ofRequest.test(given) ? "argv" : given;
    const what = parameter ? joined(kind, joined(String(parameter.index), parameter.field ?? "")) : kind;
    return (
      this.#sources.at(what, at) ??
      this.#remember(this.#sources, what, at, { kind, confidence, parameter, outside: null, count: null, validated })
    );
  }

  /** One name may be several things, as all that is exported again from elsewhere is. */
  alias(name: string, target: string): void {
    this.aliases.set(`${name} ${target}`, { name, target });
  }

  /** What a place in another file gives. */
  outside(target: string, at: Span, count: number | null = null, told?: ToldArguments): Source {
    const known = { kind: "outside", confidence: 1, parameter: null, outside: target, count, told, validated: null };
    return this.#outside.at(target, at) ?? this.#remember(this.#outside, target, at, known);
  }

  #remember(
    among: KnownAt<Source>,
    what: string,
    at: Span,
    { kind, confidence, parameter, outside, count, told, validated }: Omit<Source, keyof Span | "name">,
  ): Source {
    const { start, end } = at;
    const name = this.excerpt(at, 60);
    const source: Source = { kind, start, end, name, confidence, parameter, outside, count, validated };
    if (told) source.told = told;
    return among.set(what, at, source);
  }

  /** The first line of a stretch of source, shortened. */
  excerpt(at: Span, max: number): string {
    return excerptOf(this.text, at, max);
  }
}

const ofRequest = /^(http-|cookie$|upload$)/;

function hasCarrier({ carriers }: Knowledge, path: string): boolean {
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1))
    if (carriers.has(path.slice(0, dot))) return true;
  return false;
}
