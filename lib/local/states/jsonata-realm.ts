import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import type jsonata from "jsonata";
import type { Json } from "../service.ts";
import { type JsonText, StateFailure } from "./failure.ts";
import { hash, lengthMax, pad, partition, range, seeded } from "./functions.ts";
import { isLinear } from "./linear.ts";

/** What an expression can see. Values are read only when an expression asks for them. */
export interface Scope {
  /** JSON objects of variables by name, the outermost scope first. */
  readonly variables: readonly JsonText[];
  readonly input: JsonText;
  readonly result?: JsonText | undefined;
  readonly errorOutput?: JsonText | undefined;
  /** `$states.context` without the input of the execution, which may be large and is rarely looked at. */
  readonly context: () => JsonText;
  readonly executionInput: JsonText;
}

export interface ExpressionsProps {
  readonly now: () => number;
  /** [0, 1) */
  readonly random: () => number;
  /** @default 1000; no legitimate expression over 256 KiB comes near it, even on a busy machine */
  readonly budgetMilliseconds?: number;
}

/** One expression to evaluate, and where it stands. */
export interface Job {
  readonly text: string;
  readonly location: string;
  readonly bindings: Record<string, Json>;
}

const limits = { stack: 500, sequence: lengthMax };

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

/** One vm context with jsonata in it, and a microtask queue of its own: a run is over when the call returns. */
export class JsonataRealm {
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
    this.#lazy(states, "context", scope.context, (context) =>
      this.#lazy(context.Execution, "Input", () => scope.executionInput),
    );
    bindings.states = states;
    return bindings;
  }

  #lazy(target: object, name: string, text: () => JsonText, complete: (value: Json) => void = () => {}): void {
    let value: Json;
    let read = false;
    const get = () => {
      if (!read) {
        value = this.#realm.JSON.parse(text());
        complete(value);
        read = true;
      }
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

export function evaluationFailure(job: Job, what: string): StateFailure {
  const cause = `The JSONata expression '${job.text}' specified for the field '${job.location}' ${what}`;
  return new StateFailure("States.QueryEvaluationError", cause);
}

export const messageOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return code ? `${code}: ${message}` : String(message ?? error);
};
