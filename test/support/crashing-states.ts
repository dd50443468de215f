// Runs one execution and dies by SIGKILL right after a given commit; started again, it goes on with what is on disk.
// Arguments: the data folder, and the number of the commit to die after (0 to live).
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Caller, Json } from "../../lib/local/service.ts";
import { States } from "../../lib/local/states.ts";
import { functionArn, functionsOf, invoke, roleArn } from "./state-machines.ts";

const [folder = "", dieAfter = "0"] = process.argv.slice(2);
const log = (line: object) => appendFileSync(join(folder, "log.jsonl"), `${JSON.stringify(line)}\n`);

let commits = 0;
let ticks = 0;
const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (sql !== "COMMIT") return statement;
  const run = statement.run.bind(statement);
  statement.run = (...values: never[]) => {
    const result = run(...values);
    commits += 1;
    if (commits === Number(dieAfter)) process.kill(process.pid, "SIGKILL");
    return result;
  };
  return statement;
};

const work = (payload: Json) => {
  log({ call: payload });
  return payload;
};
let failed = existsSync(join(folder, "failed"));
const flaky = (payload: Json) => {
  log({ call: payload });
  if (failed) return payload;
  failed = true;
  writeFileSync(join(folder, "failed"), "");
  throw new Error("once");
};
const caller = { role: "operator", arn: roleArn } as Caller;
const token = ({ token: taskToken }: Json) => {
  log({ call: "token" });
  writeFileSync(join(folder, "token"), taskToken);
  setImmediate(answerToken);
};

/** Whoever holds a task token outlives the crash, and answers again when it does not know whether it did. */
function answerToken(): void {
  if (!existsSync(join(folder, "token"))) return;
  const taskToken = readFileSync(join(folder, "token"), "utf8");
  states.call("SendTaskSuccess", { taskToken, output: '"answered"' }, caller).catch(() => {});
}

const { promise: ended, resolve: end } = Promise.withResolvers<void>();
const states = new States({
  folder,
  functions: functionsOf({ work, flaky, token }),
  credentials: () => caller,
  endpoint: () => "",
  // Time flies: waits and retries are over at once, but they go through the timers.
  setTimer: (run) => {
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
  now: () => {
    ticks += 100;
    return new Date(Date.parse("2030-01-01T00:00:00Z") + ticks);
  },
  onStatusChange: (event: Json) => {
    log({ status: event.detail.status, output: event.detail.output });
    if (event.detail.status !== "RUNNING") end();
  },
});

const to = (name: string, Payload: unknown) => ({ FunctionName: functionArn(name), Payload });
const definition = {
  QueryLanguage: "JSONata",
  StartAt: "First",
  States: {
    First: invoke("work", {
      Arguments: to("work", "first"),
      Assign: { first: "{% $states.result.Payload %}" },
      Next: "Pause",
    }),
    Pause: { Type: "Wait", Seconds: 1, Next: "Flaky" },
    Flaky: invoke("flaky", {
      Arguments: to("flaky", "flaky"),
      Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }],
      Next: "Both",
    }),
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Left", States: { Left: invoke("work", { Arguments: to("work", "left"), End: true }) } },
        {
          StartAt: "Right",
          States: {
            Right: {
              Type: "Task",
              Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
              Arguments: to("token", { token: "{% $states.context.Task.Token %}" }),
              End: true,
            },
          },
        },
      ],
      Assign: { both: "{% $states.result %}" },
      Next: "Map",
    },
    Map: {
      Type: "Map",
      Items: [1, 2, 3],
      MaxConcurrency: 1,
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Child",
        States: { Child: invoke("work", { End: true }) },
      },
      Output: ["{% $first %}", "{% $both %}", "{% $states.result %}"],
      End: true,
    },
  },
};

await states.open();
const stateMachineArn = await states.ensureStateMachine({ name: "machine", type: "STANDARD", roleArn, definition });
if (!existsSync(join(folder, "acknowledged"))) {
  await states.resume();
  await states
    .call("StartExecution", { stateMachineArn, name: "run", input: "{}" }, caller)
    .catch((error) => log({ start: error.code }));
  writeFileSync(join(folder, "acknowledged"), "");
} else {
  const executionArn = stateMachineArn.replace(":stateMachine:", ":execution:").concat(":run");
  const { mapRuns } = (await states.call("ListMapRuns", { executionArn }, caller)) as Json;
  for (const { mapRunArn } of mapRuns) {
    const { executions } = (await states.call(
      "ListExecutions",
      { mapRunArn, statusFilter: "SUCCEEDED" },
      caller,
    )) as Json;
    for (const child of executions) {
      const { input } = (await states.call("DescribeExecution", { executionArn: child.executionArn }, caller)) as Json;
      log({ finished: JSON.parse(input) });
    }
  }
  await states.resume();
  const { status } = (await states.call("DescribeExecution", { executionArn }, caller)) as Json;
  if (status !== "RUNNING") end();
  answerToken();
}
await ended;
log({ commits });
await states.close();
