import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readTimetable } from "../../lib/local/schedule/cron.ts";
import { readEventPattern } from "../../lib/local/schedule/event-pattern.ts";
import { Schedule } from "../../lib/local/schedule.ts";
import type { Json } from "../../lib/local/service.ts";
import { ManualClock } from "../support/manual-clock.ts";

const next = (expression: string, after: string, count = 1): string[] => {
  const timetable = readTimetable(expression);
  const times: string[] = [];
  let at: number | null = Date.parse(after);
  for (let n = 0; n < count; n++) {
    at = timetable(at as number);
    times.push(at === null ? "never" : new Date(at).toISOString().slice(0, 16));
    if (at === null) break;
  }
  return times;
};

describe("cron()", () => {
  it.each([
    ["0 10 * * ? *", "2030-01-01T10:00:00Z", ["2030-01-02T10:00", "2030-01-03T10:00"]],
    ["15 12 * * ? *", "2030-01-01T10:00:00Z", ["2030-01-01T12:15"]],
    ["0 18 ? * MON-FRI *", "2030-01-04T18:00:00Z", ["2030-01-07T18:00", "2030-01-08T18:00"]],
    ["0 8 1 * ? *", "2030-01-15T00:00:00Z", ["2030-02-01T08:00"]],
    [
      "0/15 * * * ? *",
      "2030-01-01T00:07:30Z",
      ["2030-01-01T00:15", "2030-01-01T00:30", "2030-01-01T00:45", "2030-01-01T01:00"],
    ],
    ["0/5 8-17 ? * 2-6 *", "2030-01-04T17:55:00Z", ["2030-01-07T08:00"]],
    ["0 0 L * ? *", "2028-02-01T00:00:00Z", ["2028-02-29T00:00", "2028-03-31T00:00"]],
    ["0 0 29 2 ? *", "2029-01-01T00:00:00Z", ["2032-02-29T00:00", "2036-02-29T00:00"]],
    ["0 0 ? * 6L *", "2030-01-01T00:00:00Z", ["2030-01-25T00:00", "2030-02-22T00:00"]],
    ["0 0 ? * 3#2 *", "2030-01-01T00:00:00Z", ["2030-01-08T00:00", "2030-02-12T00:00"]],
    ["0 0 ? * TUE#5 *", "2030-01-01T00:00:00Z", ["2030-01-29T00:00", "2030-04-30T00:00"]],
    ["0 0 1W * ? *", "2030-05-31T00:00:00Z", ["2030-06-03T00:00"]],
    ["0 0 LW * ? *", "2030-06-01T00:00:00Z", ["2030-06-28T00:00"]],
    [
      "0 0 1 JAN,jul ? 2031-2032",
      "2030-02-01T00:00:00Z",
      ["2031-01-01T00:00", "2031-07-01T00:00", "2032-01-01T00:00", "2032-07-01T00:00", "never"],
    ],
    ["59 23 31 12 ? *", "2030-12-31T23:58:59Z", ["2030-12-31T23:59", "2031-12-31T23:59"]],
    ["0 0 30 2 ? *", "2190-01-01T00:00:00Z", ["never"]],
  ])("cron(%s) after %s", (expression, after, times) => {
    expect(next(`cron(${expression})`, after, times.length)).toEqual(times);
  });

  it.each([
    "* * * * * *",
    "0 0 ? * ? *",
    "60 * * * ? *",
    "* 24 * * ? *",
    "* * 0 * ? *",
    "* * * 13 ? *",
    "* * ? * 8 *",
    "* * * * ?",
    "5-1 * * * ? *",
    "*/0 * * * ? *",
    "a * * * ? *",
    "* * 15L * ? *",
  ])("refuses cron(%s)", (expression) => expect(() => readTimetable(`cron(${expression})`)).toThrow("not valid"));

  it("answers the first minute that the fields allow, and none is skipped", () => {
    const minutes = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 3 });
    const hours = fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 3 });
    const after = fc.integer({ min: 0, max: 365 * 24 * 60 });
    fc.assert(
      fc.property(minutes, hours, after, (minute, hour, offset) => {
        const start = Date.UTC(2030, 0, 1) + offset * 60_000;
        let expected = start + 60_000;
        const fits = (at: number) =>
          minute.includes(new Date(at).getUTCMinutes()) && hour.includes(new Date(at).getUTCHours());
        while (!fits(expected)) expected += 60_000;
        return readTimetable(`cron(${minute.join()} ${hour.join()} * * ? *)`)(start) === expected;
      }),
    );
  });
});

describe("rate()", () => {
  it.each([
    ["rate(1 minute)", "2030-01-01T00:01"],
    ["rate(5 minutes)", "2030-01-01T00:05"],
    ["rate(1 hour)", "2030-01-01T01:00"],
    ["rate(7 days)", "2030-01-08T00:00"],
  ])("%s", (expression, time) => expect(next(expression, "2030-01-01T00:00:00Z")).toEqual([time]));

  it.each([
    "rate(1 minutes)",
    "rate(5 minute)",
    "rate(0 minutes)",
    "rate(1 second)",
    "rate(-1 hours)",
    "every day",
    "rate(5 minutes) ",
  ])("refuses %s", (expression) => expect(() => readTimetable(expression)).toThrow("not valid"));
});

describe("event patterns", () => {
  const event = {
    source: "aws.states",
    detail: {
      status: "FAILED",
      code: 7,
      list: ["a", "b"],
      deep: [{ x: 1 }, { x: 2 }],
      nothing: null,
      yes: true,
      empty: [],
    },
  };
  it.each<[object, boolean]>([
    [{ source: ["aws.states"] }, true],
    [{ source: ["other", "aws.states"] }, true],
    [{ source: ["aws"] }, false],
    [{ source: ["aws.states"], detail: { status: ["SUCCEEDED"] } }, false],
    [{ detail: { status: ["FAILED", "ABORTED"], code: [7] } }, true],
    [{ detail: { code: ["7"] } }, false],
    [{ detail: { nothing: [null] } }, true],
    [{ detail: { missing: [null] } }, false],
    [{ detail: { yes: [true] } }, true],
    [{ detail: { list: ["b"] } }, true],
    [{ detail: { list: ["c"] } }, false],
    [{ detail: { deep: { x: [2] } } }, true],
    [{ detail: { deep: { x: [3] } } }, false],
    [{ source: [{ prefix: "aws." }] }, true],
    [{ source: [{ prefix: "AWS." }] }, false],
    [{ source: [{ prefix: { "equals-ignore-case": "AWS." } }] }, true],
    [{ source: [{ suffix: ".states" }] }, true],
    [{ source: [{ "equals-ignore-case": "AWS.STATES" }] }, true],
    [{ detail: { status: [{ "anything-but": "FAILED" }] } }, false],
    [{ detail: { status: [{ "anything-but": ["SUCCEEDED", "RUNNING"] }] } }, true],
    [{ detail: { status: [{ "anything-but": { prefix: "FAI" } }] } }, false],
    [{ detail: { status: [{ "anything-but": { suffix: ["X", "Y"] } }] } }, true],
    [{ detail: { code: [{ "anything-but": [1, 2] }] } }, true],
    [{ detail: { missing: [{ "anything-but": "x" }] } }, false],
    [{ detail: { missing: [{ exists: false }] } }, true],
    [{ detail: { missing: [{ exists: true }] } }, false],
    [{ detail: { nothing: [{ exists: true }] } }, true],
    [{ detail: { empty: [{ exists: false }] } }, true],
    [{ detail: { deep: [{ exists: true }] } }, false],
    [{ detail: { code: [{ numeric: [">", 0, "<=", 7] }] } }, true],
    [{ detail: { code: [{ numeric: [">", 7] }] } }, false],
    [{ detail: { code: [{ numeric: ["=", 7] }] } }, true],
    [{ detail: { status: [{ numeric: [">", 0] }] } }, false],
    [{ $or: [{ source: ["x"] }, { detail: { code: [7] } }] }, true],
    [{ constructor: [{ exists: true }] }, false],
  ])("%j: %s", (pattern, matches) => expect(readEventPattern(pattern)(event)).toBe(matches));

  it.each<[object]>([
    [{}],
    [{ a: [] }],
    [{ a: "text" }],
    [{ a: [{ wildcard: "*" }] }],
    [{ a: [{ numeric: [">"] }] }],
    [{ a: [{ prefix: 1 }] }],
    [{ a: [{ prefix: "a", suffix: "b" }] }],
  ])("refuses %j", (pattern) => expect(() => readEventPattern(pattern)).toThrow("not valid"));
});

/** Lets what a timer set off come to pass. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("Schedule", () => {
  let clock: ManualClock;
  let schedule: Schedule;
  let invoked: unknown[][];
  let fail: boolean;

  beforeEach(() => {
    clock = new ManualClock("2030-01-01T00:00:00Z");
    invoked = [];
    fail = false;
    schedule = new Schedule({
      now: clock.now,
      setTimer: clock.setTimer,
      invoke: async (...call) => {
        invoked.push(call);
        if (fail) throw new Error("no");
      },
    });
  });
  afterEach(() => schedule.stop());

  it("fires by the clock, with the event that EventBridge sends, and goes on", async () => {
    schedule.ensureRule({ name: "sweep", scheduleExpression: "rate(1 minute)", targets: [{ arn: "f", roleArn: "r" }] });
    expect(clock.waiting).toBe(0);
    schedule.start();
    expect([await clock.tick(), await clock.tick()]).toEqual([60_000, 60_000]);
    await clock.tick();
    await turn();
    expect(invoked.map(([arn, event, role]) => [arn, (event as Json).time, role])).toEqual([
      ["f", "2030-01-01T00:01:00Z", "r"],
      ["f", "2030-01-01T00:02:00Z", "r"],
      ["f", "2030-01-01T00:03:00Z", "r"],
    ]);
    expect(invoked[0]?.[1]).toMatchObject({
      "detail-type": "Scheduled Event",
      source: "aws.events",
      resources: ["arn:aws:events:us-east-1:000000000000:rule/sweep"],
      detail: {},
    });
  });

  it("fires once when the machine slept through many turns", async () => {
    schedule.ensureRule({ name: "sweep", scheduleExpression: "rate(1 minute)", targets: [{ arn: "f" }] });
    schedule.start();
    clock.advance(60 * 60_000);
    await clock.tick();
    await turn();
    expect(invoked).toHaveLength(2);
  });

  it("hands matching events to all targets, or their own input", async () => {
    schedule.ensureRule({
      name: "ended",
      eventPattern: { source: ["aws.states"] },
      targets: [{ arn: "f" }, { arn: "g", input: { fixed: 1 } }],
    });
    schedule.ensureRule({ name: "other", eventPattern: { source: ["aws.s3"] }, targets: [{ arn: "h" }] });
    schedule.put({ source: "aws.states", n: 0 });
    schedule.start();
    schedule.put({ source: "aws.states", n: 1 });
    await schedule.stop();
    schedule.put({ source: "aws.states", n: 2 });
    expect(invoked).toEqual([
      ["f", { source: "aws.states", n: 1 }, undefined],
      ["g", { fixed: 1 }, undefined],
    ]);
  });

  it("repeats a failed invocation after one and two minutes, then says so and gives up", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    schedule.ensureRule({ name: "ended", eventPattern: { a: [1] }, targets: [{ arn: "f" }] });
    schedule.start();
    fail = true;
    schedule.put({ a: 1 });
    expect([await clock.tick(), await clock.tick()]).toEqual([60_000, 120_000]);
    await schedule.stop();
    expect(invoked).toHaveLength(3);
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it("replaces a rule of the same name, also while it runs", async () => {
    schedule.ensureRule({ name: "sweep", scheduleExpression: "rate(1 minute)", targets: [{ arn: "old" }] });
    schedule.start();
    schedule.ensureRule({ name: "sweep", scheduleExpression: "rate(2 minutes)", targets: [{ arn: "new" }] });
    expect(await clock.tick()).toBe(120_000);
    await clock.tick();
    await turn();
    expect(invoked.map(([arn]) => arn)).toEqual(["new", "new"]);
  });

  it("stops: no timer is left and nothing fires", async () => {
    schedule.ensureRule({ name: "sweep", scheduleExpression: "cron(0 0 * * ? *)", targets: [{ arn: "f" }] });
    schedule.start();
    await schedule.stop();
    expect(clock.waiting).toBe(0);
  });
});
