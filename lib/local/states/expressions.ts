import type { Json } from "../service.ts";
import { type JsonText, StateFailure } from "./failure.ts";
import {
  type ExpressionsProps,
  evaluationFailure,
  type Job,
  JsonataRealm,
  messageOf,
  type Scope,
} from "./jsonata-realm.ts";
import { expressionsOf, expressionsWithin, fill } from "./template.ts";

export type { ExpressionsProps, Scope } from "./jsonata-realm.ts";

/**
 * JSONata as Step Functions runs it: `{% %}` strings anywhere in a template, `$states`, variables, the six additional
 * functions, no `$eval`. jsonata lives in a vm context with its own microtask queue, so that one synchronous call runs
 * a whole evaluation and V8 itself stops it at the budget, in the middle of a regex or a sort if need be. The context
 * is a timer, not a boundary: expressions come from our template, only data is hostile.
 */
export class Expressions {
  readonly #props: ExpressionsProps;
  #realm: JsonataRealm;

  constructor(props: ExpressionsProps) {
    this.#props = props;
    this.#realm = new JsonataRealm(props);
  }

  /** @throws StateFailure States.Runtime for a syntax error */
  check(template: unknown, location: string): void {
    for (const text of expressionsOf(template)) {
      try {
        this.#realm.compile(text);
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
          bindings ??= this.#realm.bindings(scope);
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
      const values = this.#realm.run(jobs, this.#props.budgetMilliseconds ?? 1000);
      values.forEach((value, index) => {
        if (value === undefined) throw evaluationFailure(jobs[index] as Job, "returned nothing (undefined).");
      });
      return values;
    } catch (error) {
      if (error instanceof StateFailure) throw error;
      if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      const running = jobs[this.#realm.finished] as Job;
      // Its unfinished promises would go on in the next evaluation.
      this.#realm = new JsonataRealm(this.#props);
      throw evaluationFailure(running, "took too long to evaluate.");
    }
  }
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
