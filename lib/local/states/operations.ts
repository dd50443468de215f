import { AwsError, type Caller, type Json } from "../service.ts";
import { checkedArn } from "./arns.ts";
import { conclude, type Engine } from "./engine.ts";
import { payloadBytesMax } from "./failure.ts";
import type { Execution, MapRun, Status, TokenRow } from "./records.ts";
import { redriveExecution } from "./redrive.ts";
import { startExecution } from "./start.ts";
import { executionOfToken } from "./task.ts";
import { defined, executionView, historyEventView, mapRunView, wireTime } from "./views.ts";

/** One operation of the Step Functions API. */
export interface Operation {
  /** ARN that IAM is asked about; unchecked, since what is malformed is refused by the call itself. */
  readonly resource: (input: Json) => string;
  readonly call: (engine: Engine, input: Json, caller: Caller) => object;
}

const machineOf = (input: Json) => String(input.stateMachineArn);
const executionIn = (input: Json) => String(input.executionArn);

/** IAM knows a task's answer by its machine: the token says which execution it is for. */
function machineOfToken(input: Json): string {
  try {
    const [head, name] = executionOfToken(input.taskToken).split(/:(?:execution|express):/);
    return `${head}:stateMachine:${name?.split(":")[0]?.split("/")[0]}`;
  } catch {
    return "*";
  }
}

export const operations: Readonly<Record<string, Operation>> = {
  StartExecution: {
    resource: machineOf,
    call: (engine, input) => {
      const { arn, startedAt } = startExecution(engine, input);
      return { executionArn: arn, startDate: wireTime(startedAt) };
    },
  },
  StopExecution: {
    resource: executionIn,
    call: (engine, input) => {
      const execution = executionBy(engine, input.executionArn);
      if (execution.type === "EXPRESS") throw notForExpress();
      conclude(engine, execution.id, "ABORTED", { error: input.error, cause: input.cause });
      return { stopDate: wireTime(executionBy(engine, input.executionArn).stoppedAt) };
    },
  },
  DescribeExecution: {
    resource: executionIn,
    call: (engine, input) => {
      const execution = executionBy(engine, input.executionArn);
      if (execution.type === "EXPRESS" && execution.mapRun === null) throw notForExpress();
      const mapRunArn = execution.mapRun === null ? undefined : engine.store.mapRun(execution.mapRun)?.arn;
      return defined({ ...executionView(execution), mapRunArn });
    },
  },
  DescribeStateMachineForExecution: {
    resource: executionIn,
    call: (engine, input) => {
      const { machine, roleArn, definition, type } = executionBy(engine, input.executionArn);
      const body = JSON.stringify(engine.store.definition(definition));
      return { stateMachineArn: machine, name: machine.split(":")[6], definition: body, roleArn, type };
    },
  },
  ListExecutions: { resource: (input) => String(input.mapRunArn ?? input.stateMachineArn), call: listExecutions },
  GetExecutionHistory: { resource: executionIn, call: getExecutionHistory },
  DescribeStateMachine: {
    resource: machineOf,
    call: (engine, input) => {
      const { arn, name, roleArn, type, definition, createdAt } = machineBy(engine, input.stateMachineArn);
      const body = JSON.stringify(engine.store.definition(definition));
      return {
        stateMachineArn: arn,
        name,
        status: "ACTIVE",
        definition: body,
        roleArn,
        type,
        creationDate: wireTime(createdAt),
      };
    },
  },
  RedriveExecution: {
    resource: executionIn,
    call: (engine, input) => ({
      redriveDate: wireTime(redriveExecution(engine, executionBy(engine, input.executionArn))),
    }),
  },
  DescribeMapRun: {
    resource: (input) => String(input.mapRunArn),
    call: (engine, input) => {
      const mapRun = mapRunBy(engine, input.mapRunArn);
      const execution = engine.store.execution(mapRun.execution) as Execution;
      return mapRunView(mapRun, execution.arn, engine.store.countChildren(mapRun.id));
    },
  },
  ListMapRuns: { resource: executionIn, call: listMapRuns },
  SendTaskSuccess: {
    resource: machineOfToken,
    call: (engine, input) => {
      const output = checkedOutput(input.output);
      return answer(engine, input.taskToken, { output });
    },
  },
  SendTaskFailure: {
    resource: machineOfToken,
    call: (engine, input) =>
      answer(engine, input.taskToken, { error: String(input.error ?? ""), cause: String(input.cause ?? "") }),
  },
  SendTaskHeartbeat: {
    resource: machineOfToken,
    call: (engine, input) => {
      const { token } = openToken(engine, input.taskToken);
      engine.store.beatToken(token, engine.clock.now());
      engine.tokens.get(token)?.beat();
      return {};
    },
  },
};

const notForExpress = () =>
  new AwsError("StateMachineTypeNotSupported", "This API action is not supported by EXPRESS state machine executions.");

function executionBy(engine: Engine, arn: unknown): Execution {
  const execution = engine.store.execution(checkedArn(arn, "execution"));
  if (execution && execution.status !== "PENDING") return execution;
  throw new AwsError("ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`);
}

function machineBy(engine: Engine, arn: unknown) {
  const machine = engine.store.machine(checkedArn(arn, "stateMachine"));
  if (machine) return machine;
  throw new AwsError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`);
}

function mapRunBy(engine: Engine, arn: unknown): MapRun {
  const mapRun = engine.store.mapRun(checkedArn(arn, "mapRun"));
  if (mapRun) return mapRun;
  throw new AwsError("ResourceNotFound", `Resource not found: '${arn}'`);
}

const statuses: readonly Status[] = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"];

function listExecutions(engine: Engine, input: Json): object {
  const { statusFilter } = input;
  if (statusFilter !== undefined && !statuses.includes(statusFilter) && statusFilter !== "PENDING_REDRIVE") {
    throw new AwsError(
      "ValidationException",
      `Value '${statusFilter}' at 'statusFilter' failed to satisfy constraint.`,
    );
  }
  const filter =
    input.mapRunArn === undefined ? ofMachine(engine, input) : { mapRun: mapRunBy(engine, input.mapRunArn).id };
  const limit = pageSize(input, 100);
  const rows = engine.store.listExecutions({ ...filter, status: statusFilter }, positionIn(input), limit + 1);
  const executions = rows.slice(0, limit).map((row) => {
    const view = executionView(row);
    const { executionArn, stateMachineArn, name, status, startDate, stopDate, redriveCount, redriveDate } = view;
    const itemCount = row.mapRun === null ? undefined : row.items;
    const mapRunArn = input.mapRunArn;
    const summary = { executionArn, stateMachineArn, name, status, startDate, stopDate, redriveCount, redriveDate };
    return defined({ ...summary, itemCount, mapRunArn });
  });
  return defined({ executions, nextToken: tokenAfter(rows, limit) });
}

function ofMachine(engine: Engine, input: Json): { machine: string } {
  const machine = machineBy(engine, input.stateMachineArn);
  if (machine.type === "EXPRESS") throw notForExpress();
  return { machine: machine.arn };
}

function getExecutionHistory(engine: Engine, input: Json): object {
  const execution = executionBy(engine, input.executionArn);
  if (execution.type === "EXPRESS") throw notForExpress();
  const limit = pageSize(input, 100);
  const order = input.reverseOrder ? "DESC" : "ASC";
  const after = input.nextToken === undefined && order === "ASC" ? 0 : positionIn(input);
  const rows = engine.store.events(execution.id, order, after, limit + 1);
  const events = rows.slice(0, limit).map((row) => historyEventView(row, input.includeExecutionData !== false));
  return defined({ events, nextToken: tokenAfter(rows, limit) });
}

function listMapRuns(engine: Engine, input: Json): object {
  const execution = executionBy(engine, input.executionArn);
  const limit = pageSize(input, 100);
  const rows = engine.store.listMapRuns(execution.id, positionIn(input), limit + 1);
  const mapRuns = rows.slice(0, limit).map(({ arn, startedAt, stoppedAt }) =>
    defined({
      executionArn: execution.arn,
      mapRunArn: arn,
      stateMachineArn: execution.machine,
      startDate: wireTime(startedAt),
      stopDate: wireTime(stoppedAt),
    }),
  );
  return defined({ mapRuns, nextToken: tokenAfter(rows, limit) });
}

function pageSize({ maxResults = 0 }: Json, otherwise: number): number {
  if (Number.isInteger(maxResults) && maxResults >= 0 && maxResults <= 1000) return maxResults || otherwise;
  throw new AwsError("ValidationException", `Value '${maxResults}' at 'maxResults' must be an integer from 0 to 1000.`);
}

/** Pages go on behind the id in the token. */
function positionIn({ nextToken }: Json): number {
  if (nextToken === undefined) return Number.MAX_SAFE_INTEGER;
  const position = Buffer.from(String(nextToken), "base64url").toString("utf8");
  if (/^after:\d{1,15}$/.test(position)) return Number(position.slice(6));
  throw new AwsError("InvalidToken", `Invalid Token: '${nextToken}'`);
}

/** A row more than the page was read to see whether there is another page. */
function tokenAfter(rows: readonly { id: number }[], limit: number): string | undefined {
  return rows.length > limit ? Buffer.from(`after:${rows[limit - 1]?.id}`).toString("base64url") : undefined;
}

function openToken(engine: Engine, taskToken: unknown): TokenRow {
  const execution = engine.store.execution(executionOfToken(taskToken));
  const row = engine.store.token(String(taskToken));
  if (row && row.outcome === null && execution?.status === "RUNNING") return row;
  throw new AwsError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
}

function answer(engine: Engine, taskToken: unknown, outcome: object): object {
  const { token } = openToken(engine, taskToken);
  const text = JSON.stringify(outcome);
  engine.store.transaction(() => engine.store.answerToken(token, text), "FULL");
  engine.tokens.get(token)?.answered(text);
  return {};
}

function checkedOutput(output: unknown): string {
  try {
    if (typeof output === "string" && Buffer.byteLength(output) <= payloadBytesMax) {
      JSON.parse(output);
      return output;
    }
  } catch {
    // Falls through to the one refusal.
  }
  throw new AwsError("InvalidOutput", "Invalid Output: the output must be JSON of at most 256 KiB.");
}
