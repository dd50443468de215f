import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import type jsonata from "jsonata";
import type { Json } from "../service.ts";
import { type JsonText, StateFailure } from "./failure.ts";

/** What an expression can see. Values are read only when an expression asks for them. */
export interface Scope {
  /** JSON objects of variables by name, the outermost scope first. */
  readonly variables: readonly JsonText[];
  readonly input: JsonText;
  readonly result?: JsonText | undefined;
  readonly errorOutput?: JsonText | undefined;
  readonly context: () => JsonText;
}

export interface ExpressionsProps {
  readonly now: () => number;
  /** [0, 1) */
  readonly random: () => number;
  /** @default 1000; no legitimate expression over 256 KiB comes near it, even on a busy machine */
  readonly budgetMilliseconds?: number;
}

interface Job {
  readonly text: string;
  readonly location: string;
  readonly bindings: Record<string, Json>;
}

/** Sequences longer than any payload can hold only cost memory. */
const limits = { stack: 500, sequence: 200_000 };

/**
 * JSONata as Step Functions runs it: `{% %}` strings anywhere in a template, `$states`, variables, the six additional
 * functions, no `$eval`. jsonata lives in a vm context with its own microtask queue, so that one synchronous call runs
 * a whole evaluation and V8 itself stops it at the budget, in the middle of a regex or a sort if need be. The context
 * is a timer, not a boundary: expressions come from our template, only data is hostile.
 */
export class Expressions {
  readonly #props: ExpressionsProps;
  #engine: Engine;

  constructor(props: ExpressionsProps) {
    this.#props = props;
    this.#engine = new Engine(props);
  }

  /** @throws StateFailure States.Runtime for a syntax error */
  check(template: unknown, location: string): void {
    for (const text of expressionsOf(template)) {
      try {
        this.#engine.compile(text);
      } catch (error) {
        throw new StateFailure("States.Runtime", `${location}: ${messageOf(error)} in '${text}'`);
      }
    }
  }

  /**
   * Evaluates the templates of a state together, all in the same scope.
   * @returns the JSON of each field that is not undefined
   * @throws StateFailure States.QueryEvaluationError
   */
  evaluate<Field extends string>(fields: Record<Field, unknown>, scope: Scope): Record<Field, JsonText> {
    return this.evaluateEach(fields, [scope])[0] as Record<Field, JsonText>;
  }

  /** The same templates in many scopes, under one budget: a thousand items cost one watchdog instead of a thousand. */
  evaluateEach<Field extends string>(fields: Record<Field, unknown>, scopes: Scope[]): Record<Field, JsonText>[] {
    const jobs: Job[] = [];
    for (const scope of scopes) {
      let bindings: Record<string, Json> | undefined;
      for (const [field, template] of Object.entries(fields)) {
        for (const [text, location] of expressionsWithin(template, field)) {
          bindings ??= this.#engine.bindings(scope);
          jobs.push({ text, location, bindings });
        }
      }
    }
    const values = this.#run(jobs)[Symbol.iterator]();
    const next = () => values.next().value;
    return scopes.map(() => {
      const filled: Record<string, JsonText> = {};
      for (const [field, template] of Object.entries(fields)) {
        if (template !== undefined) filled[field] = textOf(fill(template, next), field);
      }
      return filled as Record<Field, JsonText>;
    });
  }

  #run(jobs: readonly Job[]): unknown[] {
    if (jobs.length === 0) return [];
    try {
      const values = this.#engine.run(jobs, this.#props.budgetMilliseconds ?? 1000);
      values.forEach((value, index) => {
        if (value === undefined) throw evaluationFailure(jobs[index] as Job, "returned nothing (undefined).");
      });
      return values;
    } catch (error) {
      if (error instanceof StateFailure) throw error;
      if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      const running = jobs[this.#engine.finished] as Job;
      // Its unfinished promises would go on in the next evaluation.
      this.#engine = new Engine(this.#props);
      throw evaluationFailure(running, "took too long to evaluate.");
    }
  }
}

const require = createRequire(import.meta.url);
let program: vm.Script | undefined;
const evaluateJobs = new vm.Script(`
  values = []; failure = undefined;
  (async () => { for (const [expression, bindings] of jobs) values.push(await expression.evaluate(undefined, bindings)); })()
    .catch((error) => { failure = { error }; });
`);

/** $now and $millis read the clock that waits and time-outs go by. */
const clockOfExecutions = `
  Date = class extends Date {
    constructor(...parts) { if (parts.length > 0) super(...parts); else super(clock()); }
    static now() { return clock(); }
  };
`;

interface Realm extends vm.Context {
  jsonata: typeof jsonata;
  JSON: typeof JSON;
  clock: () => number;
  jobs: [jsonata.Expression, object][];
  values: unknown[];
  failure?: { error: unknown };
}

interface Compiled {
  readonly expression: jsonata.Expression;
  /** Takes no more time than reading its input does, and needs no watchdog. */
  readonly linear: boolean;
}

const linearParts = new Set(["type", "value", "position", "steps", "lhs", "rhs", "condition", "then", "else"]);
const linearOperators = new Set(["+", "-", "*", "/", "%", "&", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in"]);

/** True for look-ups, literals, and operators on such: no function, predicate, regex or range that could multiply work. */
function isLinear(node: Json): boolean {
  if (!Object.keys(node).every((part) => linearParts.has(part))) return false;
  switch (node.type) {
    case "string":
    case "number":
    case "value":
    case "variable":
    case "name":
      return true;
    case "path":
      return node.steps.every(
        (step: Json, index: number) => step.type === (index === 0 ? "variable" : "name") && isLinear(step),
      );
    case "binary":
      return linearOperators.has(node.value) && isLinear(node.lhs) && isLinear(node.rhs);
    case "condition":
      return isLinear(node.condition) && isLinear(node.then) && (node.else === undefined || isLinear(node.else));
    default:
      return false;
  }
}

/** One vm context with jsonata in it. */
class Engine {
  readonly #realm: Realm;
  readonly #compiled = new Map<string, Compiled>();
  readonly #props: ExpressionsProps;

  constructor(props: ExpressionsProps) {
    this.#props = props;
    this.#realm = vm.createContext({ jobs: [], values: [] }, { microtaskMode: "afterEvaluate" }) as Realm;
    program ??= new vm.Script(readFileSync(require.resolve("jsonata"), "utf8"), { filename: "jsonata.js" });
    program.runInContext(this.#realm);
    this.#realm.JSON = vm.runInContext("JSON", this.#realm);
    this.#realm.clock = props.now;
    vm.runInContext(clockOfExecutions, this.#realm);
  }

  get finished(): number {
    return this.#realm.values.length;
  }

  compile(text: string): Compiled {
    const known = this.#compiled.get(text);
    if (known) return known;
    const expression = this.#realm.jsonata(text, limits);
    this.#extend(expression);
    const compiled = { expression, linear: isLinear(expression.ast()) };
    this.#compiled.set(text, compiled);
    return compiled;
  }

  run(jobs: readonly Job[], milliseconds: number): unknown[] {
    const compiled = jobs.map(({ text }) => this.compile(text));
    this.#realm.jobs = jobs.map(({ bindings }, index) => [(compiled[index] as Compiled).expression, bindings]);
    // V8's watchdog is a thread for each call, ten times what a look-up costs.
    const watched = compiled.some(({ linear }) => !linear);
    evaluateJobs.runInContext(this.#realm, watched ? { timeout: milliseconds } : {});
    const { values, failure } = this.#realm;
    if (!failure) return values;
    throw evaluationFailure(
      jobs[this.finished] as Job,
      `threw an error during evaluation. ${messageOf(failure.error)}`,
    );
  }

  bindings(scope: Scope): Record<string, Json> {
    const bindings: Record<string, Json> = {};
    for (const variables of scope.variables) Object.assign(bindings, this.#realm.JSON.parse(variables));
    const states = this.#realm.JSON.parse("{}");
    this.#lazy(states, "input", () => scope.input);
    if (scope.result !== undefined) this.#lazy(states, "result", () => scope.result as JsonText);
    if (scope.errorOutput !== undefined) this.#lazy(states, "errorOutput", () => scope.errorOutput as JsonText);
    this.#lazy(states, "context", scope.context);
    bindings.states = states;
    return bindings;
  }

  #lazy(target: object, name: string, text: () => JsonText): void {
    let value: Json;
    let read = false;
    const get = () => {
      if (!read) value = this.#realm.JSON.parse(text());
      read = true;
      return value;
    };
    Object.defineProperty(target, name, { enumerable: true, get });
  }

  #extend(expression: jsonata.Expression): void {
    const { random } = this.#props;
    const parse = (text: string) => this.#realm.JSON.parse(text);
    expression.registerFunction("partition", partition, "<an:a>");
    expression.registerFunction("range", range, "<nnn?:a>");
    expression.registerFunction("hash", hash, "<xs?:s>");
    expression.registerFunction("random", (seed?: number) => (seed === undefined ? random() : seeded(seed)), "<n?:n>");
    expression.registerFunction("uuid", () => randomUUID(), "<:s>");
    expression.registerFunction("parse", parse, "<s:x>");
    expression.registerFunction("pad", pad, "<s-ns?:s>");
    expression.registerFunction("eval", () => {
      throw new Error("Attempted to invoke $eval, which Step Functions does not support; use $parse.");
    });
  }
}

function partition(items: Json[], size: number): Json[][] {
  if (!(Number.isInteger(size) && size > 0)) throw new Error("$partition needs a positive whole chunk size.");
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function range(first: number, last: number, step = 1): number[] {
  if (step === 0) throw new Error("$range needs a step other than 0.");
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (length > limits.sequence) throw new Error(`$range makes at most ${limits.sequence} numbers.`);
  return Array.from({ length }, (_, index) => first + index * step);
}

function hash(data: unknown, algorithm = "SHA-256"): string {
  const names: Record<string, string> = {
    MD5: "md5",
    "SHA-1": "sha1",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
  };
  const name = names[algorithm];
  if (!name) throw new Error(`$hash knows ${Object.keys(names).join(", ")}, not ${algorithm}.`);
  return createHash(name)
    .update(typeof data === "string" ? data : JSON.stringify(data))
    .digest("hex");
}

/** The same number for the same seed, on every machine; which number that is, AWS does not say. */
function seeded(seed: number): number {
  return createHash("sha256").update(String(seed)).digest().readUInt32BE(0) / 2 ** 32;
}

/** jsonata's own builds an array of the missing length first: a gigabyte in one native call that no watchdog stops. */
function pad(text: string, width: number, filler = " "): string {
  const length = Math.min(Math.abs(width), limits.sequence);
  return width < 0 ? text.padStart(length, filler) : text.padEnd(length, filler);
}

const textPattern = /^\{%([\s\S]*)%\}$/;

/** The JSONata in a string of a template, or undefined for a literal string. */
export const expressionIn = (text: string): string | undefined => textPattern.exec(text)?.[1]?.trim();

function* expressionsWithin(template: unknown, location: string): Generator<[text: string, location: string]> {
  if (typeof template === "string") {
    const text = expressionIn(template);
    if (text !== undefined) yield [text, location];
  } else if (Array.isArray(template)) {
    for (const [index, part] of template.entries()) yield* expressionsWithin(part, `${location}[${index}]`);
  } else if (template !== null && typeof template === "object") {
    for (const [key, part] of Object.entries(template)) yield* expressionsWithin(part, `${location}/${key}`);
  }
}

/** The JSONata texts anywhere in a template. */
export const expressionsOf = (template: unknown): string[] =>
  [...expressionsWithin(template, "")].map(([text]) => text);

/** The template with each expression replaced, in the order in which `expressionsWithin` visits them. */
function fill(template: unknown, next: () => unknown): unknown {
  if (typeof template === "string") return expressionIn(template) === undefined ? template : next();
  if (Array.isArray(template)) return template.map((part) => fill(part, next));
  if (template === null || typeof template !== "object") return template;
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, fill(part, next)]));
}

function textOf(value: unknown, field: string): JsonText {
  const refuseFunctions = (_key: string, part: Json) => {
    if (typeof part === "function" || part?._jsonata_lambda || part?._jsonata_function) {
      throw new StateFailure(
        "States.QueryEvaluationError",
        `The JSONata expression for the field '${field}' returned a function, which is no JSON.`,
      );
    }
    return part;
  };
  return JSON.stringify(value, refuseFunctions);
}

function evaluationFailure(job: Job, what: string): StateFailure {
  const cause = `The JSONata expression '${job.text}' specified for the field '${job.location}' ${what}`;
  return new StateFailure("States.QueryEvaluationError", cause);
}

const messageOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return code ? `${code}: ${message}` : String(message ?? error);
};
