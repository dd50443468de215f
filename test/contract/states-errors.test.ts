import { SendTaskFailureCommand, SendTaskHeartbeatCommand, SendTaskSuccessCommand } from "@aws-sdk/client-sfn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AwsError, type Json } from "../../lib/local/service.ts";
import { ManualClock } from "../support/manual-clock.ts";
import {
  failure,
  functionArn,
  invoke,
  outcomeOf,
  roleArn,
  StateMachines,
  type TestFunction,
} from "../support/state-machines.ts";

let machines: StateMachines;
let clock: ManualClock;
let calls: Json[];
/** What the function "f" does at each call; the last one stays. */
let plan: TestFunction[];
const never = () => new Promise(() => {});

beforeEach(async () => {
  clock = new ManualClock("2030-01-01T00:00:00Z");
  calls = [];
  plan = [];
  machines = await StateMachines.open({
    now: clock.now,
    setTimer: clock.setTimer,
    random: () => 0.25,
    run: {
      f: (payload, caller) => {
        calls.push(payload);
        return (plan.length > 1 ? plan.shift() : plan[0])?.(payload, caller);
      },
    },
  });
});
afterEach(() => machines.close());

const one = (state: object, more: object = {}) => ({
  StartAt: "Only",
  States: { Only: { End: true, ...state } },
  ...more,
});
const throws = (name: string) => () => {
  throw failure(name);
};

describe("a Lambda task", () => {
  it("answers the optimised integration's result around the Payload", async () => {
    plan = [() => ({ a: 1 })];
    const { output } = await machines.run(one(invoke("f", { Output: "{% $states.result %}" })), { in: 1 });
    expect(calls).toEqual([{ in: 1 }]);
    expect(output).toEqual({
      ExecutedVersion: "$LATEST",
      Payload: { a: 1 },
      StatusCode: 200,
      SdkHttpMetadata: expect.objectContaining({ HttpStatusCode: 200 }),
      SdkResponseMetadata: { RequestId: expect.any(String) },
    });
  });

  it("answers the bare payload of a function called by its ARN, with Arguments or the input as its event", async () => {
    plan = [(payload) => payload];
    const Resource = functionArn("f");
    expect((await machines.run(one({ Type: "Task", Resource }), { in: 1 })).output).toEqual({ in: 1 });
    const Arguments = { x: "{% $states.input.in %}" };
    expect((await machines.run(one({ Type: "Task", Resource, Arguments }), { in: 1 })).output).toEqual({ x: 1 });
  });

  it("calls the function as the machine's role", async () => {
    plan = [(_, caller) => caller.role];
    expect((await machines.run(one(invoke("f")))).output).toBe("machine");
  });

  it("fails with the error's name and, as its Cause, the JSON that Lambda answers", async () => {
    plan = [throws("TypeError")];
    const { error, cause } = await machines.run(one(invoke("f")));
    expect(error).toBe("TypeError");
    expect(JSON.parse(cause as string)).toEqual({ errorType: "TypeError", errorMessage: "as planned" });
  });

  it("fails with the service's error when there is no such function", async () => {
    expect(await machines.run(one(invoke("g")))).toMatchObject({ error: "Lambda.ResourceNotFoundException" });
  });

  it("times out, and ignores what the function answers later", async () => {
    let answer = (_: unknown) => {};
    plan = [() => new Promise((resolve) => (answer = resolve))];
    const arn = await machines.start(await machines.create(one(invoke("f", { TimeoutSeconds: "{% 15 * 2 %}" }))));
    expect(await clock.tick()).toBe(30_000);
    answer("late");
    expect(await machines.ended(arn)).toMatchObject({ status: "FAILED", error: "States.Timeout" });
    const types = (await machines.history(arn)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["TaskTimedOut", "ExecutionFailed"]);
  });
});

describe("Retry", () => {
  const delays = async (retrier: object, attempts: number): Promise<number[]> => {
    plan = [throws("Mine")];
    const arn = await machines.start(
      await machines.create(one(invoke("f", { Retry: [{ ErrorEquals: ["Mine"], ...retrier }] }))),
    );
    const waited: number[] = [];
    for (let n = 0; n < attempts; n++) waited.push(await clock.tick());
    expect(await machines.ended(arn)).toMatchObject({ status: "FAILED", error: "Mine" });
    expect(calls).toHaveLength(attempts + 1);
    return waited;
  };

  it("waits 1, 2 and 4 seconds by default, and gives up after three retries", async () => {
    expect(await delays({}, 3)).toEqual([1000, 2000, 4000]);
  });

  it("goes by IntervalSeconds, BackoffRate, MaxAttempts and MaxDelaySeconds", async () => {
    expect(await delays({ IntervalSeconds: 3, BackoffRate: 1.5, MaxAttempts: 5, MaxDelaySeconds: 8 }, 5)).toEqual([
      3000, 4500, 6750, 8000, 8000,
    ]);
  });

  it("draws from zero to the delay with JitterStrategy FULL", async () => {
    expect(await delays({ JitterStrategy: "FULL", MaxAttempts: 2, IntervalSeconds: 8 }, 2)).toEqual([2000, 4000]);
  });

  it("does not retry with MaxAttempts 0, even if a later retrier would", async () => {
    plan = [throws("Mine")];
    const Retry = [{ ErrorEquals: ["Mine"], MaxAttempts: 0 }, { ErrorEquals: ["States.ALL"] }];
    expect(await machines.run(one(invoke("f", { Retry })))).toMatchObject({ status: "FAILED", error: "Mine" });
    expect(calls).toHaveLength(1);
  });

  it("counts the retries of each retrier by itself and shows their sum to expressions", async () => {
    plan = [throws("A"), throws("B"), throws("A"), (payload) => payload];
    const Retry = [
      { ErrorEquals: ["A"], IntervalSeconds: 1, MaxAttempts: 2 },
      { ErrorEquals: ["B"], IntervalSeconds: 5, MaxAttempts: 1 },
    ];
    const Arguments = { FunctionName: functionArn("f"), Payload: "{% $states.context.State.RetryCount %}" };
    const arn = await machines.start(await machines.create(one(invoke("f", { Retry, Arguments }))));
    expect([await clock.tick(), await clock.tick(), await clock.tick()]).toEqual([1000, 5000, 2000]);
    expect(outcomeOf(await machines.ended(arn)).output).toBe(3);
    expect(calls).toEqual([0, 1, 2, 3]);
  });

  it("starts the iterations of a Map anew", async () => {
    plan = [(n) => n, throws("Mine"), (n) => n];
    const ItemProcessor = { StartAt: "Each", States: { Each: invoke("f", { End: true }) } };
    const map = { Type: "Map", MaxConcurrency: 1, ItemProcessor, Retry: [{ ErrorEquals: ["Mine"], MaxAttempts: 1 }] };
    const arn = await machines.start(await machines.create(one(map)), [1, 2]);
    await clock.tick();
    expect(outcomeOf(await machines.ended(arn)).output).toEqual([1, 2]);
    expect(calls).toEqual([1, 2, 1, 2]);
  });
});

describe("which errors a name matches", () => {
  const cases: [name: string, error: string, matches: boolean][] = [
    ["States.ALL", "Mine", true],
    ["States.ALL", "States.Timeout", true],
    ["States.TaskFailed", "Mine", true],
    ["States.TaskFailed", "Lambda.ServiceException", true],
    ["States.TaskFailed", "States.Timeout", false],
    ["States.Timeout", "States.Timeout", true],
    ["States.Timeout", "Mine", false],
    ["Lambda.ServiceException", "Lambda.ServiceException", true],
    ["Lambda.ServiceException", "Lambda.TooManyRequestsException", false],
    ["States.QueryEvaluationError", "States.QueryEvaluationError", true],
    ["States.ALL", "States.Runtime", false],
  ];
  it.each(cases)("%s and %s: %s", async (name, error, matches) => {
    plan = [error === "States.Timeout" ? never : throws(error)];
    const bad = error === "States.QueryEvaluationError" ? { Output: "{% $undefined %}" } : {};
    const more = { TimeoutSeconds: 5, Catch: [{ ErrorEquals: [name], Next: "After" }], ...bad };
    if (bad.Output) plan = [() => 1];
    const States = { Only: invoke("f", { ...more, End: true }), After: { Type: "Pass", Output: "caught", End: true } };
    const arn = await machines.start(await machines.create({ StartAt: "Only", States }));
    if (error === "States.Timeout") await clock.tick();
    const outcome = outcomeOf(await machines.ended(arn));
    expect(outcome).toMatchObject(matches ? { status: "SUCCEEDED", output: "caught" } : { status: "FAILED", error });
  });
});

describe("Catch", () => {
  const after = {
    After: { Type: "Pass", Output: { in: "{% $states.input %}", why: "{% $exists($why) ? $why : null %}" }, End: true },
  };

  it("hands Error and Cause on, or what its Output and Assign make of $states.errorOutput", async () => {
    plan = [throws("Mine")];
    const run = (more: object) => {
      const Catch = [{ ErrorEquals: ["States.ALL"], Next: "After", ...more }];
      return machines.run(
        { StartAt: "Only", States: { Only: invoke("f", { Catch, End: true }), ...after } },
        { in: 1 },
      );
    };
    const Cause = JSON.stringify({ errorType: "Mine", errorMessage: "as planned" });
    expect((await run({})).output).toEqual({ in: { Error: "Mine", Cause }, why: null });
    const more = { Output: "{% $states.input %}", Assign: { why: "{% $states.errorOutput.Error %}" } };
    expect((await run(more)).output).toEqual({ in: { in: 1 }, why: "Mine" });
  });

  it("comes after the retries are used up, and the first catcher that matches wins", async () => {
    plan = [throws("Mine")];
    const Retry = [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }];
    const Catch = [
      { ErrorEquals: ["Other"], Next: "After", Output: 0 },
      { ErrorEquals: ["Mine"], Next: "After", Output: 1 },
      { ErrorEquals: ["States.ALL"], Next: "After", Output: 2 },
    ];
    const States = { Only: invoke("f", { Retry, Catch, End: true }), ...after };
    const arn = await machines.start(await machines.create({ StartAt: "Only", States }));
    await clock.tick();
    expect(outcomeOf(await machines.ended(arn)).output.in).toBe(1);
    expect(calls).toHaveLength(2);
  });

  it("records a failed expression and can catch it", async () => {
    const Catch = [{ ErrorEquals: ["States.QueryEvaluationError"], Next: "After", Output: "caught" }];
    const States = { Only: invoke("f", { Arguments: { FunctionName: "{% $nothing %}" }, Catch, End: true }), ...after };
    const outcome = await machines.run({ StartAt: "Only", States });
    expect(outcome.output.in).toBe("caught");
    const events = await machines.history(outcome.arn);
    const event = events.find(({ type }) => type === "EvaluationFailed");
    expect(event?.evaluationFailedEventDetails).toMatchObject({ error: "States.QueryEvaluationError", state: "Only" });
    expect(calls).toHaveLength(0);
  });
});

describe("Wait", () => {
  it("waits the seconds, given or evaluated", async () => {
    const arn = await machines.start(await machines.create(one({ Type: "Wait", Seconds: "{% $states.input.s %}" })), {
      s: 90,
    });
    expect(await clock.tick()).toBe(90_000);
    expect((await machines.ended(arn)).status).toBe("SUCCEEDED");
  });

  it("waits a year without overflowing a timer", async () => {
    const days = 366;
    const arn = await machines.start(await machines.create(one({ Type: "Wait", Seconds: days * 86_400 })));
    for (let day = 0; day < days; day++) expect(await clock.tick()).toBe(86_400_000);
    expect((await machines.ended(arn)).status).toBe("SUCCEEDED");
  });

  it("waits until a timestamp, and not at all for one that has passed", async () => {
    const definition = one({ Type: "Wait", Timestamp: "{% $states.input.at %}" });
    const arn = await machines.start(await machines.create(definition), { at: "2030-01-01T02:00:00+01:00" });
    expect(await clock.tick()).toBe(3_600_000);
    expect((await machines.ended(arn)).status).toBe("SUCCEEDED");
    expect(await machines.run(definition, { at: "2029-12-31T00:00:00Z" })).toMatchObject({ status: "SUCCEEDED" });
  });

  it.each([
    ["Seconds", -1],
    ["Seconds", 1.5],
    ["Seconds", "1"],
    ["Timestamp", "tomorrow"],
  ])("refuses %s %j", async (field, value) => {
    const outcome = await machines.run(one({ Type: "Wait", [field]: "{% $states.input %}" }), value);
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.QueryEvaluationError" });
  });
});

describe("the machine's own time-out", () => {
  it("ends the execution as TIMED_OUT", async () => {
    const arn = await machines.start(
      await machines.create(one({ Type: "Wait", Seconds: 1000 }, { TimeoutSeconds: 60 })),
    );
    expect(await clock.tick()).toBe(60_000);
    expect(await machines.ended(arn)).toMatchObject({ status: "TIMED_OUT", error: "States.Timeout" });
    expect((await machines.history(arn)).at(-1)?.type).toBe("ExecutionTimedOut");
    expect(machines.events.map((event) => event.detail.status)).toEqual(["RUNNING", "TIMED_OUT"]);
    expect(clock.waiting).toBe(0);
  });
});

describe(".waitForTaskToken", () => {
  const token = (more: object = {}) =>
    one({
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Arguments: { FunctionName: functionArn("f"), Payload: { token: "{% $states.context.Task.Token %}" } },
      ...more,
    });
  const started = async (more: object = {}) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    plan = [(payload) => resolve(payload.token)];
    const arn = await machines.start(await machines.create(token(more)));
    return { arn, taskToken: await promise };
  };

  it("goes on with the output that SendTaskSuccess brings, and knows the token no more then", async () => {
    const { arn, taskToken } = await started();
    const success = new SendTaskSuccessCommand({ taskToken, output: '{"done":1}' });
    await machines.sfn.send(success);
    expect(outcomeOf(await machines.ended(arn)).output).toEqual({ done: 1 });
    await expect(machines.sfn.send(success)).rejects.toMatchObject({ name: "TaskTimedOut" });
    expect((await machines.history(arn)).map(({ type }) => type)).toContain("TaskSubmitted");
  });

  it("accepts an answer that comes while the function still runs", async () => {
    plan = [
      async ({ token: taskToken }) => {
        await machines.sfn.send(new SendTaskSuccessCommand({ taskToken, output: "1" }));
        return never();
      },
    ];
    expect((await machines.run(token())).output).toBe(1);
  });

  it("fails with the error and cause of SendTaskFailure", async () => {
    const { arn, taskToken } = await started();
    await machines.sfn.send(new SendTaskFailureCommand({ taskToken, error: "Theirs", cause: "why" }));
    expect(outcomeOf(await machines.ended(arn))).toMatchObject({ status: "FAILED", error: "Theirs", cause: "why" });
  });

  it("times out without a heartbeat, and lives on with one", async () => {
    const { arn, taskToken } = await started({ HeartbeatSeconds: 10 });
    clock.advance(9000);
    await machines.sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
    clock.advance(9000);
    await machines.sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
    expect(await clock.tick()).toBe(10_000);
    expect(await machines.ended(arn)).toMatchObject({ status: "FAILED", error: "States.HeartbeatTimeout" });
    await expect(machines.sfn.send(new SendTaskHeartbeatCommand({ taskToken }))).rejects.toMatchObject({
      name: "TaskTimedOut",
    });
  });

  it("forgets the token of a branch that was given up", async () => {
    let taskToken = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    plan = [
      (payload) => {
        taskToken = payload.token;
        resolve();
      },
    ];
    const failing = {
      StartAt: "Later",
      States: { Later: { Type: "Wait", Seconds: 5, Next: "Fail" }, Fail: { Type: "Fail", Error: "Other" } },
    };
    const States = {
      Both: {
        Type: "Parallel",
        Branches: [token(), failing],
        Catch: [{ ErrorEquals: ["Other"], Next: "Rest" }],
        End: true,
      },
      Rest: { Type: "Wait", Seconds: 60, End: true },
    };
    const arn = await machines.start(await machines.create({ StartAt: "Both", States }));
    await promise;
    expect([await clock.tick(), await clock.tick()]).toEqual([5000, 60_000]);
    const late = machines.sfn.send(new SendTaskSuccessCommand({ taskToken, output: "1" }));
    await expect(late).rejects.toMatchObject({ name: "TaskTimedOut" });
    expect((await machines.ended(arn)).status).toBe("SUCCEEDED");
  });

  it("refuses a forged token and an output that is no JSON", async () => {
    const { taskToken } = await started();
    await expect(
      machines.sfn.send(new SendTaskSuccessCommand({ taskToken: "forged", output: "1" })),
    ).rejects.toMatchObject({ name: "InvalidToken" });
    await expect(machines.sfn.send(new SendTaskSuccessCommand({ taskToken, output: "{" }))).rejects.toMatchObject({
      name: "InvalidOutput",
    });
  });
});

describe("states:startExecution", () => {
  const parent = (pattern: string, child: string) =>
    one({
      Type: "Task",
      Resource: `arn:aws:states:::states:startExecution${pattern}`,
      Arguments: { StateMachineArn: child, Input: { n: "{% $states.input.n %}" } },
    });
  const childOf = (state: object) => machines.create(one(state), "STANDARD", "child");

  it("starts the other machine and goes on", async () => {
    const child = await childOf({ Type: "Pass" });
    const { output } = await machines.run(parent("", child), { n: 1 });
    expect(output).toEqual({
      ExecutionArn: expect.stringContaining(":execution:child:"),
      StartDate: expect.any(Number),
    });
    expect((await machines.ended(output.ExecutionArn)).input).toBe('{"n":1}');
  });

  it("waits for it with .sync:2 and has its output as JSON", async () => {
    const child = await childOf({ Type: "Pass", Output: { twice: "{% $states.input.n * 2 %}" } });
    const { output } = await machines.run(parent(".sync:2", child), { n: 4 });
    expect(output).toMatchObject({ Status: "SUCCEEDED", Output: { twice: 8 } });
  });

  it("fails with States.TaskFailed when it fails", async () => {
    const child = await childOf({ Type: "Pass", Output: "{% $nothing %}" });
    const { error, cause } = await machines.run(parent(".sync:2", child), { n: 4 });
    expect(error).toBe("States.TaskFailed");
    expect(JSON.parse(cause as string)).toMatchObject({ Status: "FAILED", Error: "States.QueryEvaluationError" });
  });

  it("needs states:StartExecution in the machine's role", async () => {
    const asked: unknown[] = [];
    const own = await StateMachines.open({
      authorise: (caller, operation, permissions) => {
        asked.push(caller.arn, operation, ...permissions);
        throw new AwsError("AccessDeniedException", "no");
      },
    });
    const outcome = await own.run(parent("", "arn:aws:states:us-east-1:000000000000:stateMachine:child"), { n: 1 });
    await own.close();
    expect(outcome).toMatchObject({ status: "FAILED", error: "StepFunctions.AccessDeniedException", cause: "no" });
    expect(asked).toEqual([
      roleArn,
      "StartExecution",
      { action: "states:StartExecution", resource: "arn:aws:states:us-east-1:000000000000:stateMachine:child" },
    ]);
  });
});
