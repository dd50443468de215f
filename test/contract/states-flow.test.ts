import { GetExecutionHistoryCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invoke, StateMachines } from "../support/state-machines.ts";

let machines: StateMachines;

beforeAll(async () => {
  machines = await StateMachines.open({
    run: {
      double: ({ value }) => value * 2,
      fail: () => {
        throw new Error("no");
      },
    },
  });
});
afterAll(() => machines.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));
const one = (state: object) => ({ StartAt: "Only", States: { Only: { End: true, ...state } } });

describe("Pass, Succeed and Fail", () => {
  it("hands the input on when there is no Output", async () => {
    const outcome = await machines.run(one({ Type: "Pass" }), { a: 1 });
    expect(outcome).toMatchObject({ status: "SUCCEEDED", output: { a: 1 } });
  });

  it("evaluates expressions anywhere in Output and leaves other strings alone", async () => {
    const Output = {
      sum: "{% $states.input.a + 1 %}",
      deep: [{ text: "{% 'a' & 'b' %}" }],
      literal: "$states.input",
      n: 1,
    };
    const { output } = await machines.run(one({ Type: "Pass", Output }), { a: 1 });
    expect(output).toEqual({ sum: 2, deep: [{ text: "ab" }], literal: "$states.input", n: 1 });
  });

  it("ends early with Succeed and its Output", async () => {
    const States = { End: { Type: "Succeed", Output: "{% $states.input.a %}" } };
    expect(await machines.run({ StartAt: "End", States }, { a: [1] })).toMatchObject({
      status: "SUCCEEDED",
      output: [1],
    });
  });

  it("fails with the evaluated Error and Cause", async () => {
    const States = { End: { Type: "Fail", Error: "Mine", Cause: "{% 'because ' & $states.input.why %}" } };
    const outcome = await machines.run({ StartAt: "End", States }, { why: "so" });
    expect(outcome).toMatchObject({ status: "FAILED", error: "Mine", cause: "because so" });
  });
});

describe("Choice", () => {
  const machine = {
    StartAt: "Choose",
    States: {
      Choose: {
        Type: "Choice",
        Choices: [
          { Condition: "{% $states.input.n > 10 %}", Next: "Done", Output: "big", Assign: { by: "first" } },
          { Condition: "{% $states.input.n > 5 %}", Next: "Done", Output: "{% 'medium ' & $states.input.n %}" },
        ],
        Default: "Done",
        Output: "small",
        Assign: { by: "default" },
      },
      Done: {
        Type: "Pass",
        Output: { is: "{% $states.input %}", by: "{% $exists($by) ? $by : 'nobody' %}" },
        End: true,
      },
    },
  };

  it.each([
    [11, { is: "big", by: "first" }],
    [6, { is: "medium 6", by: "nobody" }],
    [1, { is: "small", by: "default" }],
  ])("takes the first rule that holds for %i, with that rule's Output and Assign", async (n, output) => {
    expect((await machines.run(machine, { n })).output).toEqual(output);
  });

  it("fails with States.NoChoiceMatched when nothing matches and there is no Default", async () => {
    const { Default: _, ...Choose } = machine.States.Choose;
    const outcome = await machines.run({ ...machine, States: { ...machine.States, Choose } }, { n: 1 });
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.NoChoiceMatched" });
  });

  it("refuses a Condition that is no boolean", async () => {
    const Choose = { Type: "Choice", Choices: [{ Condition: "{% $states.input.n %}", Next: "Done" }] };
    const outcome = await machines.run({ ...machine, States: { ...machine.States, Choose } }, { n: 1 });
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.QueryEvaluationError" });
  });
});

describe("variables", () => {
  it("assigns after Output is evaluated, and keeps what is assigned for later states", async () => {
    const States = {
      Set: { Type: "Pass", Assign: { n: 1, list: "{% [1..3] %}" }, Next: "Change" },
      Change: { Type: "Pass", Assign: { n: "{% $n + 1 %}" }, Output: "{% $n %}", Next: "Read" },
      Read: { Type: "Pass", Output: { before: "{% $states.input %}", n: "{% $n %}", list: "{% $list %}" }, End: true },
    };
    expect((await machines.run({ StartAt: "Set", States })).output).toEqual({ before: 1, n: 2, list: [1, 2, 3] });
  });

  it("shows outer variables inside a Parallel and keeps inner ones inside", async () => {
    const branch = {
      StartAt: "In",
      States: { In: { Type: "Pass", Assign: { inner: 1 }, Output: "{% $outer %}", End: true } },
    };
    const States = {
      Set: { Type: "Pass", Assign: { outer: "seen" }, Next: "Both" },
      Both: { Type: "Parallel", Branches: [branch], Next: "After" },
      After: { Type: "Pass", Output: ["{% $states.input[0] %}", "{% $exists($inner) %}"], End: true },
    };
    expect((await machines.run({ StartAt: "Set", States })).output).toEqual(["seen", false]);
  });

  it("refuses a machine whose inner scope assigns a variable of an outer one", async () => {
    const branch = { StartAt: "In", States: { In: { Type: "Pass", Assign: { x: 1 }, End: true } } };
    const States = {
      Set: { Type: "Pass", Assign: { x: 1 }, Next: "Both" },
      Both: { Type: "Parallel", Branches: [branch], End: true },
    };
    await expect(machines.create({ StartAt: "Set", States })).rejects.toThrow("$x belongs to an enclosing scope");
  });

  it("assigns from the result of a task", async () => {
    const States = {
      Double: invoke("double", {
        Assign: { result: "{% $states.result.Payload %}" },
        Output: "{% $states.input %}",
        Next: "Read",
      }),
      Read: { Type: "Pass", Output: "{% [$result, $states.input.value] %}", End: true },
    };
    expect((await machines.run({ StartAt: "Double", States }, { value: 4 })).output).toEqual([8, 4]);
  });
});

describe("$states.context", () => {
  it("names execution, state and machine", async () => {
    const { output, arn } = await machines.run(one({ Type: "Pass", Output: "{% $states.context %}" }), { a: 1 });
    expect(output).toMatchObject({
      Execution: {
        Id: arn,
        Input: { a: 1 },
        Name: arn.split(":").at(-1),
        RoleArn: expect.any(String),
        RedriveCount: 0,
      },
      State: { Name: "Only", EnteredTime: expect.stringMatching(/^\d{4}-.*Z$/), RetryCount: 0 },
      StateMachine: { Id: "arn:aws:states:us-east-1:000000000000:stateMachine:machine", Name: "machine" },
    });
  });
});

describe("Parallel", () => {
  const pass = (Output: unknown) => ({
    StartAt: `S${Output}`,
    States: { [`S${Output}`]: { Type: "Pass", Output, End: true } },
  });

  it("answers the outputs of its branches in their order", async () => {
    const state = {
      Type: "Parallel",
      Branches: [pass(1), pass(2), pass("{% $states.input %}")],
      Arguments: "{% $states.input.a %}",
    };
    expect((await machines.run(one(state), { a: "x" })).output).toEqual([1, 2, "x"]);
  });

  it("fails with the error of the branch that fails, which a Catch sees", async () => {
    const failing = { StartAt: "F", States: { F: { Type: "Fail", Error: "Branch", Cause: "gone" } } };
    const forever = { StartAt: "W", States: { W: { Type: "Wait", Seconds: 1000, End: true } } };
    const States = {
      Both: {
        Type: "Parallel",
        Branches: [forever, failing],
        End: true,
        Catch: [{ ErrorEquals: ["Branch"], Next: "After" }],
      },
      After: { Type: "Pass", End: true },
    };
    const { output } = await machines.run({ StartAt: "Both", States });
    expect(output).toEqual({ Error: "Branch", Cause: "gone" });
  });
});

describe("inline Map", () => {
  const map = (more: object, Output: unknown = "{% $states.input %}") => ({
    Type: "Map",
    ItemProcessor: { StartAt: "Each", States: { Each: { Type: "Pass", Output, End: true } } },
    ...more,
  });

  it("runs its processor for each element of the input, in order", async () => {
    expect((await machines.run(one(map({}, "{% $states.input * 10 %}")), [1, 2, 3])).output).toEqual([10, 20, 30]);
  });

  it("takes Items, an ItemSelector with the item's index and value, and MaxConcurrency", async () => {
    const state = map({
      Items: "{% $states.input.list %}",
      ItemSelector: {
        i: "{% $states.context.Map.Item.Index %}",
        v: "{% $states.context.Map.Item.Value %}",
        all: "{% $states.input.k %}",
      },
      MaxConcurrency: 1,
    });
    const { output } = await machines.run(one(state), { list: ["a", "b"], k: 7 });
    expect(output).toEqual([
      { i: 0, v: "a", all: 7 },
      { i: 1, v: "b", all: 7 },
    ]);
  });

  it("iterates over the members of an object", async () => {
    const state = map({
      ItemSelector: { k: "{% $states.context.Map.Item.Key %}", v: "{% $states.context.Map.Item.Value %}" },
    });
    const { output } = await machines.run(one(state), { a: 1 });
    expect(output).toEqual([{ k: "a", v: { Key: "a", Value: 1 } }]);
  });

  it("answers an empty array for no items, and refuses what is no list", async () => {
    expect((await machines.run(one(map({})), [])).output).toEqual([]);
    expect(await machines.run(one(map({})), 5)).toMatchObject({ error: "States.QueryEvaluationError" });
  });

  it("fails with the error of the iteration that fails", async () => {
    const processor = { StartAt: "Each", States: { Each: invoke("fail", { End: true }) } };
    const outcome = await machines.run(one({ Type: "Map", ItemProcessor: processor }), [1, 2]);
    expect(outcome).toMatchObject({ status: "FAILED", error: "Error" });
  });

  it("runs as many iterations at once as MaxConcurrency, and no more", async () => {
    const held: (() => void)[] = [];
    const own = await StateMachines.open({ run: { hold: () => new Promise<void>((resolve) => held.push(resolve)) } });
    const processor = { StartAt: "Each", States: { Each: invoke("hold", { Output: null, End: true }) } };
    const definition = one({ Type: "Map", MaxConcurrency: 3, ItemProcessor: processor });
    const arn = await own.start(await own.create(definition), Array(9).fill(0));
    for (let round = 0; round < 3; round++) {
      while (held.length < 3) await turn();
      for (let idle = 0; idle < 50; idle++) await turn();
      expect(held).toHaveLength(3);
      for (const release of held.splice(0)) release();
    }
    expect((await own.ended(arn)).status).toBe("SUCCEEDED");
    await own.close();
  });
});

describe("what a definition may be", () => {
  const valid = one({ Type: "Pass" });
  it.each([
    ["a JSONPath machine", { ...valid, QueryLanguage: undefined }, "written in JSONPath"],
    ["a JSONPath field", one({ Type: "Pass", InputPath: "$" }), "InputPath"],
    ["a missing start", { ...valid, StartAt: "Nowhere" }, "StartAt names no state"],
    [
      "a missing next state",
      { StartAt: "A", States: { A: { Type: "Pass", Next: "constructor" } } },
      "leads to no state",
    ],
    ["no way on", { StartAt: "A", States: { A: { Type: "Pass" } } }, "needs either Next or End"],
    ["an unknown state type", one({ Type: "Activity" }), "Type"],
    ["an unknown task resource", one({ Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage" }), "not embedded"],
    ["a syntax error", one({ Type: "Pass", Output: "{% 1 + %}" }), "1 +"],
    [
      "States.ALL beside other errors",
      one({ ...invoke("f"), Retry: [{ ErrorEquals: ["States.ALL", "A"] }] }),
      "States.ALL",
    ],
    [
      "States.ALL before others",
      one({ ...invoke("f"), Retry: [{ ErrorEquals: ["States.ALL"] }, { ErrorEquals: ["A"] }] }),
      "States.ALL",
    ],
    ["the reserved variable", one({ Type: "Pass", Assign: { states: 1 } }), "Assign.states"],
    ["a Wait for nothing", one({ Type: "Wait" }), "Seconds or Timestamp"],
    [
      "an ItemReader in an inline Map",
      one({
        Type: "Map",
        ItemReader: { Resource: "arn:aws:states:::s3:getObject", Arguments: {} },
        ItemProcessor: valid,
      }),
      "DISTRIBUTED",
    ],
    ["a state name taken twice", one({ Type: "Map", ItemProcessor: valid }), "two states"],
  ])("refuses %s", async (_, definition, words) => {
    await expect(machines.create(definition)).rejects.toThrow(words);
  });
});

describe("limits of payloads", () => {
  const long = "{% $join($map([1..300000], function($i) { 'x' }), '') %}";

  it("ends with States.DataLimitExceeded, which States.ALL does not catch", async () => {
    const States = {
      Both: {
        Type: "Parallel",
        Branches: [
          { StartAt: "A", States: { A: { Type: "Pass", Output: "{% $pad('', 200000) %}", End: true } } },
          { StartAt: "B", States: { B: { Type: "Pass", Output: "{% $pad('', 200000) %}", End: true } } },
        ],
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "After" }],
        End: true,
      },
      After: { Type: "Pass", End: true },
    };
    const outcome = await machines.run({ StartAt: "Both", States });
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.DataLimitExceeded" });
  });

  it("lets a Catch that names States.DataLimitExceeded have it", async () => {
    const States = {
      Get: invoke("double", {
        Output: { a: "{% $pad('', 200000) %}", b: "{% $pad('', 200000) %}" },
        End: true,
        Catch: [{ ErrorEquals: ["States.DataLimitExceeded"], Next: "After", Output: "caught" }],
      }),
      After: { Type: "Pass", End: true },
    };
    expect((await machines.run({ StartAt: "Get", States }, { value: 1 })).output).toBe("caught");
  });

  it("counts bytes, not characters", async () => {
    const outcome = await machines.run(one({ Type: "Pass", Output: "{% $pad('', 100000, '汉') %}" }));
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.DataLimitExceeded" });
  });

  it("ends an execution whose history is full", async () => {
    const States = {
      Go: { Type: "Pass", Next: "Back" },
      Back: { Type: "Choice", Choices: [{ Condition: "{% false %}", Next: "Go" }], Default: "Go" },
    };
    const outcome = await machines.run({ StartAt: "Go", States });
    expect(outcome).toMatchObject({
      status: "FAILED",
      error: "States.Runtime",
      cause: expect.stringContaining("25000"),
    });
    const { events } = await machines.sfn.send(
      new GetExecutionHistoryCommand({ executionArn: outcome.arn, reverseOrder: true, maxResults: 1 }),
    );
    expect(events?.[0]?.type).toBe("ExecutionFailed");
    // The state that found no room for its two events left none behind.
    expect([24_999, 25_000]).toContain(events?.[0]?.id);
  });

  it("has an end to sequences in an expression", async () => {
    expect(await machines.run(one({ Type: "Pass", Output: long }))).toMatchObject({
      error: "States.QueryEvaluationError",
    });
  });
});
