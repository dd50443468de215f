import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Caller, Json } from "../../lib/local/service.ts";
import { failure, functionArn, invoke, StateMachines } from "../support/state-machines.ts";

/** A small program that is written down twice: as Amazon States Language, and as what it obviously means. */
type Op =
  | { op: "pass"; n: number }
  | { op: "assign"; letter: string; n: number }
  | { op: "read"; letter: string }
  | { op: "choice"; letter: string; n: number; yes: Op[]; no: Op[] }
  | { op: "parallel"; branches: Op[][]; caught: boolean }
  | { op: "map"; items: number; concurrency: number; distributed: boolean; body: Op[] }
  | { op: "task"; failures: number; retries: number; caught: boolean }
  | { op: "fail" };

const letter = fc.constantFrom("a", "b");
const n = fc.nat(3);
const leaf: fc.Arbitrary<Op> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant("pass"), n }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("assign"), letter, n }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("read"), letter }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("task"), failures: fc.nat(3), retries: fc.nat(3), caught: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ op: "fail" }) },
) as fc.Arbitrary<Op>;
const { program } = fc.letrec<{ program: Op[]; op: Op }>((tie) => ({
  program: fc.array(tie("op"), { maxLength: 4, depthIdentifier: "ops" }),
  op: fc.oneof(
    { depthIdentifier: "ops", maxDepth: 2 },
    { weight: 2, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant("choice"), letter, n, yes: tie("program"), no: tie("program") }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant("parallel"),
        branches: fc.array(tie("program"), { minLength: 1, maxLength: 3 }),
        caught: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant("map"),
        items: fc.nat(4),
        concurrency: fc.nat(2),
        distributed: fc.boolean(),
        body: tie("program"),
      }),
    },
  ) as fc.Arbitrary<Op>,
}));

class Compiler {
  #names = 0;

  /** Inner scopes must not assign what outer ones do, so a variable's name carries its depth. */
  compile(ops: Op[], depth: number): Json {
    const States: Json = {};
    const End = this.#name("End");
    States[End] = { Type: "Pass", End: true };
    return { StartAt: this.#sequence(ops, depth, States, End), States };
  }

  #sequence(ops: Op[], depth: number, States: Json, after: string): string {
    return ops.reduceRight((next, op) => this.#state(op, depth, States, next), after);
  }

  #state(op: Op, depth: number, States: Json, Next: string): string {
    const name = this.#name(op.op);
    const caught = () => this.#caught(States, Next);
    switch (op.op) {
      case "pass":
        States[name] = { Type: "Pass", Output: ["{% $states.input %}", op.n], Next };
        break;
      case "assign":
        States[name] = { Type: "Pass", Assign: { [op.letter + depth]: op.n }, Next };
        break;
      case "read":
        States[name] = { Type: "Pass", Output: ["{% $states.input %}", `{% ${visible(op.letter, depth)} %}`], Next };
        break;
      case "choice": {
        const yes = this.#sequence(op.yes, depth, States, Next);
        const no = this.#sequence(op.no, depth, States, Next);
        const Condition = `{% ${visible(op.letter, depth)} = ${op.n} %}`;
        States[name] = { Type: "Choice", Choices: [{ Condition, Next: yes }], Default: no };
        break;
      }
      case "parallel":
        States[name] = {
          Type: "Parallel",
          Branches: op.branches.map((ops) => this.compile(ops, depth + 1)),
          Next,
          ...(op.caught && { Catch: caught() }),
        };
        break;
      case "map": {
        const Mode = op.distributed ? "DISTRIBUTED" : "INLINE";
        // Children of a Distributed Map see no outer variables: theirs begin anew, at a depth of their own.
        const processor = this.compile(op.body, op.distributed ? 10 : depth + 1);
        const ItemProcessor = { ProcessorConfig: { Mode }, ...processor };
        // Every failure is an E, so that it does not matter which of several comes first.
        const failing = this.#name("fail");
        States[failing] = { Type: "Fail", Error: "E", Cause: "as planned" };
        const Catch = [{ ErrorEquals: ["States.ExceedToleratedFailureThreshold"], Next: failing }];
        const Items = Array.from({ length: op.items }, (_, index) => index);
        States[name] = { Type: "Map", Items, MaxConcurrency: op.concurrency, ItemProcessor, Catch, Next };
        break;
      }
      case "task": {
        const Payload = {
          fail: `{% $states.context.State.RetryCount < ${op.failures} %}`,
          echo: "{% $states.input %}",
        };
        const Retry = [{ ErrorEquals: ["E"], MaxAttempts: op.retries }];
        const Arguments = { FunctionName: functionArn("work"), Payload };
        States[name] = invoke("work", { Arguments, Retry, Next, ...(op.caught && { Catch: caught() }) });
        break;
      }
      case "fail":
        States[name] = { Type: "Fail", Error: "E", Cause: "as planned" };
    }
    return name;
  }

  #caught(States: Json, Next: string): object[] {
    const name = this.#name("caught");
    States[name] = { Type: "Pass", Output: ["{% $states.input %}", "caught"], Next };
    return [{ ErrorEquals: ["States.ALL"], Next: name, Output: "{% $states.errorOutput.Error %}" }];
  }

  #name(kind: string): string {
    this.#names += 1;
    return `${kind}${this.#names}`;
  }
}

/** The innermost variable of that letter, or null. */
function visible(letter: string, depth: number): string {
  if (depth < 0 || depth === 9) return "null";
  return `($exists($${letter}${depth}) ? $${letter}${depth} : ${visible(letter, depth - 1)})`;
}

class Failed extends Error {}

/** What the program means. */
function evaluate(ops: Op[], input: Json, outer: Record<string, Json>): Json {
  const variables = { ...outer };
  const run = (ops: Op[], input: Json): Json => ops.reduce((value, op) => step(op, value), input);
  const step = (op: Op, value: Json): Json => {
    switch (op.op) {
      case "pass":
        return [value, op.n];
      case "assign":
        variables[op.letter] = op.n;
        return value;
      case "read":
        return [value, variables[op.letter] ?? null];
      case "choice":
        return run((variables[op.letter] ?? null) === op.n ? op.yes : op.no, value);
      case "parallel":
        return recovering(op.caught, () => op.branches.map((branch) => evaluate(branch, value, variables)));
      case "map":
        return Array.from({ length: op.items }, (_, item) => evaluate(op.body, item, op.distributed ? {} : variables));
      case "task":
        return recovering(op.caught, () => {
          if (op.failures > op.retries) throw new Failed("E");
          return value;
        });
      case "fail":
        throw new Failed("E");
    }
  };
  return run(ops, input);
}

function recovering(caught: boolean, work: () => Json): Json {
  try {
    return work();
  } catch (error) {
    if (caught && error instanceof Failed) return [error.message, "caught"];
    throw error;
  }
}

let machines: StateMachines;
let closed: () => void = () => {};
let minutes = 0;
const operator = {} as Caller;

beforeAll(async () => {
  machines = await StateMachines.open({
    run: {
      work: ({ fail, echo }) => {
        if (fail) throw failure("E");
        return echo;
      },
    },
    // Retries wait for their turn, not for the time.
    now: () => {
      minutes += 1;
      return new Date(Date.UTC(2030, 0, 1, 0, minutes));
    },
    setTimer: (run) => {
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
    onStatusChange: (event: Json) => event.detail.status !== "RUNNING" && closed(),
  });
});
afterAll(() => machines.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Runs the machine to its end, with the service closed and opened again after some turns of the event loop. */
async function runWithRestarts(definition: object, restarts: number[]): Promise<Json> {
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const stateMachineArn = await machines.create(definition);
  const { executionArn } = (await machines.states.call(
    "StartExecution",
    { stateMachineArn, input: "0" },
    operator,
  )) as Json;
  for (const turns of restarts) {
    for (let count = 0; count < turns; count++) await turn();
    await machines.states.close();
    await machines.states.open();
    await machines.states.resume();
  }
  await ended;
  return machines.states.call("DescribeExecution", { executionArn }, operator);
}

it("ends as a straightforward reading of the program says, however often it is restarted", {
  timeout: 120_000,
}, async () => {
  const restarts = fc.array(fc.nat(12), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(program, restarts, async (ops, turns) => {
      const { status, output, error } = await runWithRestarts(new Compiler().compile(ops, 0), turns);
      let expected: object;
      try {
        expected = { status: "SUCCEEDED", output: evaluate(ops, 0, {}) };
      } catch (failed) {
        expected = { status: "FAILED", error: (failed as Error).message };
      }
      const actual = status === "SUCCEEDED" ? { status, output: JSON.parse(output) } : { status, error };
      expect(actual).toEqual(expected);
    }),
    { numRuns: Number(process.env.SLUICE_MODEL_RUNS ?? 100) },
  );
});
