import type { Caller } from "../service.ts";
import { nameIn } from "./arns.ts";
import { Cancellation } from "./cancellation.ts";
import type { Definition, State } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { type JsonText, StateFailure } from "./failure.ts";
import type { Execution, Frame } from "./records.ts";

/** https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html; the last one is the terminal event's. */
const eventsMax = 25_000;

/** One execution while it runs in this process. */
export class Run {
  readonly engine: Engine;
  readonly execution: Execution;
  readonly definition: Definition;
  readonly cancellation = new Cancellation();
  #lastEvent: number;
  #caller: Caller | undefined;

  constructor(engine: Engine, execution: Execution) {
    this.engine = engine;
    this.execution = execution;
    this.definition = engine.store.definition(execution.definition);
    this.#lastEvent = execution.type === "STANDARD" ? engine.store.lastEventId(execution.id) : 0;
  }

  /** The machine's role, which all its tasks act as. */
  get caller(): Caller {
    this.#caller ??= this.engine.credentials(this.execution.roleArn);
    return this.#caller;
  }

  /**
   * Runs `work`, which records events and saves frames, as one transaction.
   * @throws Cancelled once the execution has closed: what comes late is not written
   */
  commit<T>(work: () => T): T {
    this.cancellation.check();
    const before = this.#lastEvent;
    try {
      return this.engine.store.transaction(work);
    } catch (error) {
      this.#lastEvent = before;
      throw error;
    }
  }

  /**
   * Adds an event to the history; Express executions have none. Only within `commit`.
   * @throws StateFailure States.Runtime when the history is full
   */
  record(frame: Frame, type: string, details: object = {}): void {
    if (this.execution.type === "EXPRESS") return;
    if (this.#lastEvent >= eventsMax - 1) {
      throw new StateFailure(
        "States.Runtime",
        `The execution reached the maximum number of history events (${eventsMax}).`,
      );
    }
    this.#lastEvent += 1;
    const event = { id: this.#lastEvent, at: this.engine.clock.now(), type, previous: frame.lastEvent };
    this.engine.store.addEvent(this.execution.id, { ...event, details: JSON.stringify(details) });
    frame.lastEvent = this.#lastEvent;
  }

  save(frame: Frame): void {
    this.engine.store.saveFrame(this.execution.id, frame);
  }
}

export interface Evaluation {
  readonly result?: JsonText | undefined;
  readonly errorOutput?: JsonText | undefined;
  /** In place of the frame's own `$states.context.Map`, for the ItemSelector. */
  readonly map?: JsonText | undefined;
}

/** A state of an execution at work: what its type's code needs to see and may do. */
export class Step<S extends State = State> {
  readonly run: Run;
  readonly state: S;
  readonly frame: Frame;
  /** Variables of the enclosing scopes, outermost first. */
  readonly outer: readonly JsonText[];
  readonly scope: Cancellation;

  constructor(run: Run, state: S, frame: Frame, outer: readonly JsonText[], scope: Cancellation) {
    this.run = run;
    this.state = state;
    this.frame = frame;
    this.outer = outer;
    this.scope = scope;
  }

  get engine(): Engine {
    return this.run.engine;
  }

  /** @throws StateFailure States.QueryEvaluationError */
  evaluate<Field extends string>(fields: Record<Field, unknown>, more: Evaluation = {}): Record<Field, JsonText> {
    return this.evaluateEach(fields, [more])[0] as Record<Field, JsonText>;
  }

  evaluateEach<Field extends string>(fields: Record<Field, unknown>, each: Evaluation[]): Record<Field, JsonText>[] {
    const variables = [...this.outer, this.frame.variables];
    const executionInput = this.run.execution.input;
    const scopes = each.map(({ result, errorOutput, map }) => {
      return {
        variables,
        input: this.frame.input,
        result,
        errorOutput,
        context: () => this.#context(map),
        executionInput,
      };
    });
    return this.engine.expressions.evaluateEach(fields, scopes);
  }

  /** Records an event, with `<type>EventDetails` when there are any, and saves the frame. */
  note(type: string, details?: object): void {
    this.run.commit(() => {
      this.run.record(
        this.frame,
        type,
        details && { [`${type[0]?.toLowerCase()}${type.slice(1)}EventDetails`]: details },
      );
      this.run.save(this.frame);
    });
  }

  #context(map: JsonText | null = this.frame.map): JsonText {
    const { execution } = this.run;
    const { state, enteredAt, progress } = this.frame;
    const retries = (progress.retries ?? []).reduce((sum, count) => sum + count, 0);
    return JSON.stringify({
      Execution: {
        Id: execution.arn,
        Name: execution.name,
        RoleArn: execution.roleArn,
        StartTime: new Date(execution.startedAt ?? 0).toISOString(),
        RedriveCount: execution.redrives,
      },
      State: { EnteredTime: new Date(enteredAt).toISOString(), Name: state, RetryCount: retries },
      StateMachine: { Id: execution.machine, Name: nameIn(execution.machine) },
      ...(progress.token !== undefined && { Task: { Token: progress.token } }),
      ...(map !== null && { Map: JSON.parse(map) }),
    });
  }
}
