import {
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  paginateGetExecutionHistory,
  paginateListExecutions,
  RedriveExecutionCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
let work: TestFunction;
const prefix = "arn:aws:states:us-east-1:000000000000";
const waiting = { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 60, End: true } } };
const passing = { StartAt: "Pass", States: { Pass: { Type: "Pass", End: true } } };

beforeEach(async () => {
  clock = new ManualClock("2030-01-01T00:00:00Z");
  work = (payload) => payload;
  machines = await StateMachines.open({
    now: clock.now,
    setTimer: clock.setTimer,
    run: { work: (payload, caller) => work(payload, caller) },
  });
});
afterEach(() => machines.close());

describe("StartExecution", () => {
  it("is the same request while it is open: same name, same input, same answer", async () => {
    const stateMachineArn = await machines.create(waiting);
    const command = new StartExecutionCommand({ stateMachineArn, name: "scan-1", input: '{"a":1}' });
    const first = await machines.sfn.send(command);
    clock.advance(1000);
    const second = await machines.sfn.send(command);
    expect(second).toMatchObject({ executionArn: first.executionArn, startDate: first.startDate });
    expect(first.executionArn).toBe(`${prefix}:execution:machine:scan-1`);
    expect(first.startDate).toEqual(new Date("2030-01-01T00:00:00Z"));
  });

  it.each([
    ["the input differs", waiting, '{"a":2}'],
    ["the execution is closed", passing, '{"a":1}'],
  ])("refuses a name that is taken when %s", async (_, definition, input) => {
    const stateMachineArn = await machines.create(definition);
    const arn = await machines.start(stateMachineArn, { a: 1 }, "scan-1");
    if (definition === passing) await machines.ended(arn);
    const again = new StartExecutionCommand({ stateMachineArn, name: "scan-1", input });
    await expect(machines.sfn.send(again)).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
  });

  it("is no repetition for another machine", async () => {
    await machines.start(await machines.create(waiting), {}, "one");
    expect(await machines.start(await machines.create(waiting, "STANDARD", "other"), {}, "one")).toBe(
      `${prefix}:execution:other:one`,
    );
  });

  it("has {} as its input when it gets none", async () => {
    const stateMachineArn = await machines.create(passing);
    const { executionArn } = await machines.sfn.send(new StartExecutionCommand({ stateMachineArn }));
    expect(await machines.ended(executionArn as string)).toMatchObject({ input: "{}", output: "{}" });
  });

  it.each([
    [{ stateMachineArn: "nonsense" }, "InvalidArn"],
    [{ stateMachineArn: `${prefix}:stateMachine:nothing` }, "StateMachineDoesNotExist"],
    [{ name: "a b" }, "InvalidName"],
    [{ name: "x".repeat(81) }, "InvalidName"],
    [{ input: "{" }, "InvalidExecutionInput"],
    [{ input: `"${"x".repeat(262_143)}"` }, "ValidationException"],
  ])("refuses %o with %s", async (change, name) => {
    const stateMachineArn = await machines.create(passing);
    const command = new StartExecutionCommand({ stateMachineArn, ...change });
    await expect(machines.sfn.send(command)).rejects.toMatchObject({ name });
  });

  it("gives each start of an Express machine an execution of its own", async () => {
    const arn = await machines.create(waiting, "EXPRESS");
    expect(await machines.start(arn, {}, "same")).not.toBe(await machines.start(arn, {}, "same"));
    await expect(machines.sfn.send(new ListExecutionsCommand({ stateMachineArn: arn }))).rejects.toMatchObject({
      name: "StateMachineTypeNotSupported",
    });
  });
});

describe("a machine that changes", () => {
  it("leaves running executions with the definition they started with", async () => {
    const arn = await machines.start(await machines.create({ ...waiting, Comment: "old" }));
    await machines.create({ ...passing, Comment: "new" });
    const { definition } = await machines.sfn.send(new DescribeStateMachineForExecutionCommand({ executionArn: arn }));
    expect(definition).toContain("old");
    await clock.tick();
    expect((await machines.history(arn)).some(({ type }) => type === "WaitStateExited")).toBe(true);
    const stateMachineArn = `${prefix}:stateMachine:machine`;
    const machine = await machines.sfn.send(new DescribeStateMachineCommand({ stateMachineArn }));
    expect(machine).toMatchObject({ name: "machine", roleArn, type: "STANDARD", status: "ACTIVE" });
    expect(machine.definition).toContain("new");
  });
});

describe("StopExecution", () => {
  it("aborts at once, and the late result of a function changes nothing", async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    const { promise: answer, resolve: finish } = Promise.withResolvers<string>();
    work = () => {
      call();
      return answer;
    };
    const States = { Work: invoke("work", { Next: "After" }), After: { Type: "Pass", End: true } };
    const executionArn = await machines.start(await machines.create({ StartAt: "Work", States }));
    await called;
    const { stopDate } = await machines.sfn.send(new StopExecutionCommand({ executionArn, error: "E", cause: "C" }));
    expect(stopDate).toEqual(clock.now());
    finish("late");
    await new Promise((turn) => setImmediate(turn));
    expect(await machines.ended(executionArn)).toMatchObject({ status: "ABORTED", error: "E", cause: "C" });
    const last = (await machines.history(executionArn)).at(-1);
    expect(last).toMatchObject({ type: "ExecutionAborted", executionAbortedEventDetails: { error: "E", cause: "C" } });
  });

  it("aborts branches, and is harmless for an execution that has closed", async () => {
    const branch = (name: string) => ({ StartAt: name, States: { [name]: { Type: "Wait", Seconds: 9, End: true } } });
    const States = { Both: { Type: "Parallel", Branches: [branch("A"), branch("B")], End: true } };
    const executionArn = await machines.start(await machines.create({ StartAt: "Both", States }));
    await machines.sfn.send(new StopExecutionCommand({ executionArn }));
    await machines.sfn.send(new StopExecutionCommand({ executionArn, error: "again" }));
    const execution = await machines.ended(executionArn);
    expect([execution.status, execution.error]).toEqual(["ABORTED", undefined]);
    expect(clock.waiting).toBe(0);
    const missing = new StopExecutionCommand({ executionArn: `${prefix}:execution:machine:none` });
    await expect(machines.sfn.send(missing)).rejects.toMatchObject({ name: "ExecutionDoesNotExist" });
  });

  it("stops the execution that a .sync task waits for", async () => {
    const child = await machines.create(waiting, "STANDARD", "child");
    const Task = {
      Type: "Task",
      Resource: "arn:aws:states:::states:startExecution.sync:2",
      Arguments: { StateMachineArn: child, Name: "kid" },
      End: true,
    };
    const executionArn = await machines.start(await machines.create({ StartAt: "Task", States: { Task } }));
    while (clock.waiting === 0) await new Promise((turn) => setImmediate(turn));
    await machines.sfn.send(new StopExecutionCommand({ executionArn }));
    expect((await machines.ended(`${prefix}:execution:child:kid`)).status).toBe("ABORTED");
  });
});

describe("ListExecutions", () => {
  it("goes page by page from the newest to the oldest, by status if asked", async () => {
    const stateMachineArn = await machines.create(waiting);
    for (let n = 0; n < 7; n++) await machines.start(stateMachineArn, {}, `n${n}`);
    await machines.sfn.send(new StopExecutionCommand({ executionArn: `${prefix}:execution:machine:n3` }));
    const names = async (more: object): Promise<(string | undefined)[][]> => {
      const pages: (string | undefined)[][] = [];
      for await (const page of paginateListExecutions(
        { client: machines.sfn },
        { stateMachineArn, maxResults: 3, ...more },
      ))
        pages.push(page.executions?.map(({ name }) => name) ?? []);
      return pages;
    };
    expect(await names({})).toEqual([["n6", "n5", "n4"], ["n3", "n2", "n1"], ["n0"]]);
    expect(await names({ statusFilter: "RUNNING" })).toEqual([
      ["n6", "n5", "n4"],
      ["n2", "n1", "n0"],
    ]);
    expect(await names({ statusFilter: "ABORTED" })).toEqual([["n3"]]);
    const tampered = new ListExecutionsCommand({ stateMachineArn, nextToken: "tampered" });
    await expect(machines.sfn.send(tampered)).rejects.toMatchObject({ name: "InvalidToken" });
  });
});

describe("GetExecutionHistory", () => {
  const definition = {
    StartAt: "Set",
    States: {
      Set: { Type: "Pass", Assign: { n: 1 }, Next: "Work" },
      Work: invoke("work", { TimeoutSeconds: 30, Next: "Each" }),
      Each: { Type: "Map", ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } }, End: true },
    },
  };

  it("has the events in order, each with its predecessor and its details", async () => {
    const { arn } = await machines.run(definition, [7]);
    const events = await machines.history(arn);
    expect(events.map(({ id, previousEventId, type }) => [id, previousEventId, type])).toEqual([
      [1, 0, "ExecutionStarted"],
      [2, 1, "PassStateEntered"],
      [3, 2, "PassStateExited"],
      [4, 3, "TaskStateEntered"],
      [5, 4, "TaskScheduled"],
      [6, 5, "TaskStarted"],
      [7, 6, "TaskSucceeded"],
      [8, 7, "TaskStateExited"],
      [9, 8, "MapStateEntered"],
      [10, 9, "MapStateStarted"],
      [11, 10, "MapIterationStarted"],
      [12, 11, "PassStateEntered"],
      [13, 12, "PassStateExited"],
      [14, 13, "MapIterationSucceeded"],
      [15, 10, "MapStateSucceeded"],
      [16, 15, "MapStateExited"],
      [17, 16, "ExecutionSucceeded"],
    ]);
    const details = { input: "[7]", roleArn, inputDetails: { truncated: false } };
    expect(events[0]).toMatchObject({ executionStartedEventDetails: details, timestamp: clock.now() });
    expect(events[2]?.stateExitedEventDetails).toMatchObject({
      name: "Set",
      output: "[7]",
      assignedVariables: { n: "1" },
    });
    expect(events[4]?.taskScheduledEventDetails).toMatchObject({
      resourceType: "lambda",
      resource: "invoke",
      region: "us-east-1",
      timeoutInSeconds: 30,
    });
    expect(JSON.parse(events[4]?.taskScheduledEventDetails?.parameters as string)).toEqual({
      FunctionName: functionArn("work"),
      Payload: [7],
    });
    expect(events[9]?.mapStateStartedEventDetails).toEqual({ length: 1 });
    expect(events.at(-1)?.executionSucceededEventDetails).toMatchObject({ output: "[7]" });
  });

  it("goes page by page in both directions, and leaves data out on request", async () => {
    const { arn } = await machines.run(definition, [7]);
    const pages = async (reverseOrder: boolean): Promise<(number | undefined)[]> => {
      const ids: (number | undefined)[] = [];
      for await (const page of paginateGetExecutionHistory(
        { client: machines.sfn, pageSize: 5 },
        { executionArn: arn, reverseOrder },
      ))
        ids.push(...(page.events?.map(({ id }) => id) ?? []));
      return ids;
    };
    const all = Array.from({ length: 17 }, (_, index) => index + 1);
    expect(await pages(false)).toEqual(all);
    expect(await pages(true)).toEqual(all.toReversed());
    const bare = await machines.sfn.send(
      new GetExecutionHistoryCommand({ executionArn: arn, includeExecutionData: false }),
    );
    expect(JSON.stringify(bare.events)).not.toContain("[7]");
  });

  it("tells functions called by their ARN by events of their own", async () => {
    const States = { Work: { Type: "Task", Resource: functionArn("work"), End: true } };
    const { arn } = await machines.run({ StartAt: "Work", States });
    expect((await machines.history(arn)).map(({ type }) => type).slice(2, 5)).toEqual([
      "LambdaFunctionScheduled",
      "LambdaFunctionStarted",
      "LambdaFunctionSucceeded",
    ]);
  });
});

describe("status change events", () => {
  it("look as EventBridge has them, one for each status", async () => {
    const { arn } = await machines.run(passing, { a: 1 });
    expect(machines.events).toMatchObject([
      { detail: { status: "RUNNING", stopDate: null, output: null } },
      {
        version: "0",
        source: "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        account: "000000000000",
        region: "us-east-1",
        time: "2030-01-01T00:00:00Z",
        resources: [arn],
        detail: {
          executionArn: arn,
          stateMachineArn: `${prefix}:stateMachine:machine`,
          status: "SUCCEEDED",
          startDate: clock.now().getTime(),
          stopDate: clock.now().getTime(),
          input: '{"a":1}',
          output: '{"a":1}',
        },
      },
    ]);
  });
});

describe("RedriveExecution", () => {
  it("goes on from the state that failed, with its input and variables", async () => {
    const calls: unknown[] = [];
    let broken = true;
    work = (payload) => {
      calls.push(payload);
      if (broken && payload === "second") throw failure("Broken");
      return payload;
    };
    const to = (Payload: string) => ({ FunctionName: functionArn("work"), Payload });
    const States = {
      First: invoke("work", { Arguments: to("first"), Assign: { kept: 1 }, Next: "Second" }),
      Second: invoke("work", { Arguments: to("second"), Output: "{% $kept %}", End: true }),
    };
    const { arn, status } = await machines.run({ StartAt: "First", States });
    expect(status).toBe("FAILED");
    broken = false;
    await machines.sfn.send(new RedriveExecutionCommand({ executionArn: arn }));
    expect(outcomeOf(await machines.ended(arn))).toMatchObject({ status: "SUCCEEDED", output: 1 });
    expect(calls).toEqual(["first", "second", "second"]);
    expect(machines.events.map(({ detail }) => detail.status)).toEqual(["RUNNING", "FAILED", "RUNNING", "SUCCEEDED"]);
  });

  it("comes too late after 14 days", async () => {
    const States = { End: { Type: "Fail" } };
    const { arn } = await machines.run({ StartAt: "End", States });
    clock.advance(14 * 86_400_000 + 1);
    await expect(machines.sfn.send(new RedriveExecutionCommand({ executionArn: arn }))).rejects.toMatchObject({
      name: "ExecutionNotRedrivable",
    });
  });
});

describe("permissions", () => {
  const execution = `${prefix}:execution:machine:a`;
  const token = Buffer.from(`${prefix}:execution:machine/label:b|${"x".repeat(32)}`).toString("base64url");
  it.each([
    ["StartExecution", { stateMachineArn: `${prefix}:stateMachine:machine` }, `${prefix}:stateMachine:machine`],
    ["StopExecution", { executionArn: execution }, execution],
    ["DescribeExecution", { executionArn: execution }, execution],
    ["GetExecutionHistory", { executionArn: execution }, execution],
    ["ListExecutions", { stateMachineArn: "m" }, "m"],
    ["ListExecutions", { mapRunArn: "r" }, "r"],
    ["DescribeMapRun", { mapRunArn: "r" }, "r"],
    ["SendTaskSuccess", { taskToken: token }, `${prefix}:stateMachine:machine`],
    ["SendTaskSuccess", { taskToken: "forged" }, "*"],
  ])("asks for states:%s on the resource of %o", (operation, input, resource) => {
    expect(machines.states.permissions(operation, input)).toEqual([{ action: `states:${operation}`, resource }]);
  });

  it("decide at the gateway what a role may", async () => {
    const own = await StateMachines.open({ allows: (_, { action }) => action === "states:DescribeExecution" });
    const client = new SFNClient(own.gateway.as("reader"));
    const describing = client.send(new DescribeExecutionCommand({ executionArn: execution }));
    await expect(describing).rejects.toMatchObject({ name: "ExecutionDoesNotExist" });
    const stopping = client.send(new StopExecutionCommand({ executionArn: execution }));
    await expect(stopping).rejects.toMatchObject({ name: "AccessDeniedException" });
    client.destroy();
    await own.close();
  });
});

it("answers an operation it does not have with UnknownOperationException", async () => {
  await expect(machines.states.call("DeleteStateMachine", {}, {} as never)).rejects.toMatchObject({
    code: "UnknownOperationException",
  });
  expect(machines.states.permissions("constructor", null)).toEqual([{ action: "states:constructor", resource: "*" }]);
  await expect(machines.states.call("constructor", {}, {} as never)).rejects.toMatchObject({
    code: "UnknownOperationException",
  });
  const success = new SendTaskSuccessCommand({ taskToken: "x", output: "1" });
  await expect(machines.sfn.send(success)).rejects.toMatchObject({ name: "InvalidToken" });
});

it("forgets executions 90 days after they closed, and their names are free again", async () => {
  const { arn } = await machines.run(passing);
  await machines.states.close();
  clock.advance(90 * 86_400_000 + 1);
  await machines.states.open();
  await expect(machines.ended(arn)).rejects.toMatchObject({ name: "ExecutionDoesNotExist" });
});
