import { AwsError, type Caller, type FunctionPort, type Json, type JsonService, type Permission } from "./service.ts";
import { machineArn } from "./states/arns.ts";
import { Clock, type ClockProps } from "./states/clock.ts";
import { readDefinition } from "./states/definition.ts";
import { announce, type Engine } from "./states/engine.ts";
import { Expressions } from "./states/expressions.ts";
import { execute } from "./states/interpreter.ts";
import { operations } from "./states/operations.ts";
import { startExecution } from "./states/start.ts";
import { Store } from "./states/store.ts";

export interface StatesProps extends ClockProps {
  /** Everything about executions is kept here. */
  readonly folder: string;
  /** Runs functions, after asking IAM whether the machine's role may. */
  readonly functions: FunctionPort;
  /** Credentials of a machine's role; asked for by each execution, so they are better kept than made anew. */
  readonly credentials: (roleArn: string) => Caller;
  /** URL of the gateway, for the S3 calls of a Distributed Map. */
  readonly endpoint: () => string;
  /** IAM's answer for executions that a machine starts itself. @default all are allowed */
  readonly authorise?: (caller: Caller, operation: string, permissions: Permission[]) => void;
  /** [0, 1), for retries with jitter and $random. @default Math.random */
  readonly random?: () => number;
  /** Gets each "Step Functions Execution Status Change" of EventBridge, at least once. */
  readonly onStatusChange?: (event: object) => void;
}

export interface StateMachineProps {
  readonly name: string;
  /** Amazon States Language in JSONata mode, with all references resolved. */
  readonly definition: object;
  readonly roleArn: string;
  readonly type: "STANDARD" | "EXPRESS";
}

/** Executions are remembered for 90 days after they closed, as on AWS; until then their names are taken. */
const retentionMilliseconds = 90 * 24 * 60 * 60 * 1000;

/**
 * The embedded Step Functions: runs JSONata state machines, keeps every step on disk, and goes on after a crash from
 * the state that each execution last entered. The task of that state may then run again, so tasks are idempotent, as
 * on AWS where a task may be retried. Children of a Distributed Map that finished never run again.
 */
export class States implements JsonService {
  readonly contentType = "application/x-amz-json-1.0";
  readonly #props: StatesProps;
  readonly #clock: Clock;
  #engine: Engine | undefined;

  constructor(props: StatesProps) {
    this.#props = props;
    this.#clock = new Clock(props);
  }

  /** Opens the store; nothing runs before `resume`. */
  async open(): Promise<void> {
    const { folder, random = Math.random, authorise = () => {}, onStatusChange = () => {} } = this.#props;
    const store = new Store(folder);
    store.forgetClosedBefore(this.#clock.now() - retentionMilliseconds);
    const engine: Engine = {
      store,
      clock: this.#clock,
      random,
      authorise,
      onStatusChange,
      functions: this.#props.functions,
      credentials: this.#props.credentials,
      endpoint: this.#props.endpoint,
      expressions: new Expressions({ now: this.#clock.now, random }),
      running: new Map(),
      active: new Set(),
      tokens: new Map(),
      closing: new Map(),
      start: async (caller, input, owner) => {
        authorise(caller, "StartExecution", [
          { action: "states:StartExecution", resource: String(input.stateMachineArn) },
        ]);
        return startExecution(engine, input, owner);
      },
    };
    this.#engine = engine;
  }

  /**
   * Creates or updates a machine; executions that run keep the definition they started with.
   * @returns its ARN
   * @throws AwsError InvalidDefinition
   */
  async ensureStateMachine({ name, definition, roleArn, type }: StateMachineProps): Promise<string> {
    const { store, expressions } = this.#opened;
    const arn = machineArn(name);
    const body = readDefinition(definition, expressions);
    store.transaction(() => {
      const hash = store.putDefinition(body);
      store.putMachine({ arn, name, roleArn, type, definition: hash, createdAt: this.#clock.now() });
    }, "FULL");
    return arn;
  }

  /** Goes on with every execution that was running when the process ended, and announces what it had no time to. */
  async resume(): Promise<void> {
    const engine = this.#opened;
    for (const { id } of engine.store.unannounced()) announce(engine, id);
    for (const execution of engine.store.openExecutions()) {
      if (!engine.running.has(execution.id)) void execute(engine, execution);
    }
  }

  /** Lets go of what runs, as it stands; `resume` goes on with it in the next process. */
  async close(): Promise<void> {
    const engine = this.#engine;
    if (!engine) return;
    for (const scope of [...engine.running.values()]) scope.cancel();
    while (engine.active.size > 0) await Promise.allSettled(engine.active);
    engine.store.close();
    this.#engine = undefined;
  }

  permissions(operation: string, input: Json): Permission[] {
    return [{ action: `states:${operation}`, resource: operationNamed(operation)?.resource(input ?? {}) ?? "*" }];
  }

  async call(operation: string, input: Json, caller: Caller): Promise<object> {
    const known = operationNamed(operation);
    if (!known) throw new AwsError("UnknownOperationException", `Step Functions is not asked for ${operation} here.`);
    return known.call(this.#opened, input ?? {}, caller);
  }

  get #opened(): Engine {
    if (!this.#engine) throw new Error("The embedded Step Functions is not open.");
    return this.#engine;
  }
}

const operationNamed = (name: string) => (Object.hasOwn(operations, name) ? operations[name] : undefined);
