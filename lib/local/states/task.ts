import { randomBytes, randomUUID } from "node:crypto";
import { AwsError, type InvokeResult, type Json, localAccount } from "../service.ts";
import type { Cancellation } from "./cancellation.ts";
import { withDeadline } from "./deadline.ts";
import type { TaskState } from "./definition.ts";
import { type JsonText, StateFailure, withinLimit } from "./failure.ts";
import type { Step } from "./run.ts";
import { seconds } from "./values.ts";
import { executionView } from "./views.ts";

/** A task with its arguments evaluated. */
interface Task {
  readonly step: Step<TaskState>;
  /** For example "lambda:invoke"; undefined for a function called by its ARN. */
  readonly integration: string | undefined;
  /** "waitForTaskToken", "sync", "sync:2" or undefined for request and response. */
  readonly pattern: string | undefined;
  readonly arguments: Json;
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
}

/**
 * Runs the task of a state once.
 * @returns its result, `$states.result`
 * @throws StateFailure in the words of the service that failed
 */
export async function runTask(step: Step<TaskState>): Promise<JsonText> {
  const task = prepare(step);
  try {
    const result = withinLimit(await perform(task), `result of task '${step.frame.state}'`);
    note(task, "Succeeded", { output: result, outputDetails: { truncated: false } });
    return result;
  } catch (error) {
    if (error instanceof StateFailure) {
      const late = error.error === "States.Timeout" || error.error === "States.HeartbeatTimeout";
      note(task, late ? "TimedOut" : "Failed", { error: error.error, cause: error.cause });
    }
    throw error;
  }
}

function prepare(step: Step<TaskState>): Task {
  const { state, frame } = step;
  const [integration, pattern] = state.Resource.startsWith("arn:aws:states:::")
    ? (state.Resource.slice(17).split(".") as [string, string | undefined])
    : [undefined, undefined];
  // The token has to be in $states.context before the arguments that pass it on are evaluated.
  if (pattern === "waitForTaskToken") issueToken(step);
  const { Arguments, TimeoutSeconds, HeartbeatSeconds } = step.evaluate({
    Arguments: state.Arguments,
    TimeoutSeconds: state.TimeoutSeconds,
    HeartbeatSeconds: state.HeartbeatSeconds,
  });
  const parameters = withinLimit(Arguments ?? frame.input, `arguments of task '${frame.state}'`);
  return {
    step,
    integration,
    pattern,
    arguments: JSON.parse(parameters),
    timeoutSeconds: TimeoutSeconds === undefined ? undefined : seconds("TimeoutSeconds", TimeoutSeconds, 1),
    heartbeatSeconds: HeartbeatSeconds === undefined ? undefined : seconds("HeartbeatSeconds", HeartbeatSeconds, 1),
  };
}

/** A token names its execution, so that IAM can be asked about the machine and a stale one told from a forged one. */
function issueToken(step: Step<TaskState>): void {
  if (step.frame.progress.token !== undefined) return;
  const { execution } = step.run;
  const token = Buffer.from(`${execution.arn}|${randomBytes(24).toString("base64url")}`).toString("base64url");
  step.frame.progress.token = token;
  step.run.commit(() => {
    step.engine.store.addToken(token, execution.id, step.frame.path, step.engine.clock.now());
    step.run.save(step.frame);
  });
}

/** ARN of the execution that a token belongs to. @throws AwsError InvalidToken */
export function executionOfToken(token: unknown): string {
  const [arn, secret] = Buffer.from(String(token), "base64url").toString("utf8").split("|");
  if (arn?.startsWith("arn:aws:states:") && secret?.length === 32) return arn;
  throw new AwsError("InvalidToken", "Invalid Token: 'Invalid token'");
}

function perform(task: Task): Promise<JsonText> {
  const { step, timeoutSeconds } = task;
  if (!step.frame.progress.submitted) noteStart(task);
  const { progress } = step.frame;
  const now = step.engine.clock.now();
  // A task that only awaits its token keeps its deadline over a restart; one that runs again starts anew.
  const kept = progress.submitted ? progress.deadline : undefined;
  const deadline = kept ?? (timeoutSeconds === undefined ? undefined : now + timeoutSeconds * 1000);
  progress.deadline = deadline;
  const late = () => new StateFailure("States.Timeout", `The task took longer than ${timeoutSeconds} s.`);
  const work = (scope: Cancellation) =>
    task.pattern === "waitForTaskToken" ? untilAnswered(task, scope) : request(task, scope);
  return withDeadline(step.engine.clock, step.scope, { deadline, late, work });
}

function request(task: Task, scope: Cancellation): Promise<JsonText> {
  return task.integration === "states:startExecution" ? startExecution(task, scope) : invokeFunction(task, scope);
}

async function invokeFunction(
  { step, integration, arguments: parameters }: Task,
  scope: Cancellation,
): Promise<JsonText> {
  const optimised = integration !== undefined;
  const functionArn = optimised ? arnOfFunction(parameters) : step.state.Resource;
  const payload = !optimised ? parameters : parameters.Payload === undefined ? {} : parameters.Payload;
  const result = await scope.guard(step.engine.functions.invoke(step.run.caller, functionArn, payload).catch(asResult));
  if (!result.ok) throw failureOfFunction(result);
  const answer = result.payload === undefined ? null : result.payload;
  if (!optimised) return JSON.stringify(answer);
  const requestId = randomUUID();
  return JSON.stringify({
    ExecutedVersion: "$LATEST",
    Payload: answer,
    SdkHttpMetadata: {
      AllHttpHeaders: { "x-amzn-RequestId": [requestId], "X-Amz-Executed-Version": ["$LATEST"] },
      HttpHeaders: { "X-Amz-Executed-Version": "$LATEST", "x-amzn-RequestId": requestId },
      HttpStatusCode: 200,
    },
    SdkResponseMetadata: { RequestId: requestId },
    StatusCode: 200,
  });
}

function arnOfFunction(parameters: Json): string {
  const { FunctionName, Qualifier } = parameters ?? {};
  if (typeof FunctionName !== "string") throw new StateFailure("States.Runtime", "Arguments need a FunctionName.");
  const arn = FunctionName.startsWith("arn:")
    ? FunctionName
    : `arn:aws:lambda:${localAccount.region}:${localAccount.account}:function:${FunctionName}`;
  return typeof Qualifier === "string" ? `${arn}:${Qualifier}` : arn;
}

function asResult(error: unknown): InvokeResult {
  if (!(error instanceof AwsError)) throw error;
  return { ok: false, error: `Lambda.${error.code}`, message: error.message };
}

/**
 * Errors of the Lambda service carry their name and text. What a function threw comes as the JSON that Lambda answers,
 * as Step Functions' Cause does.
 */
function failureOfFunction({ error, message }: { error: string; message: string }): StateFailure {
  const denied = /(^|\.)AccessDenied(Exception)?$/.test(error);
  if (denied) return new StateFailure("Lambda.AWSLambdaException", message);
  if (error.startsWith("Lambda.")) return new StateFailure(error, message);
  return new StateFailure(
    error,
    isObject(message) ? message : JSON.stringify({ errorType: error, errorMessage: message }),
  );
}

function isObject(text: string): boolean {
  try {
    return text.startsWith("{") && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

async function startExecution({ step, pattern, arguments: parameters }: Task, scope: Cancellation): Promise<JsonText> {
  const { frame, run, engine } = step;
  // A name of its own makes the start safe to repeat after a restart.
  frame.progress.started ??= parameters.Name ?? randomUUID();
  run.commit(() => run.save(frame));
  const input = JSON.stringify(parameters.Input ?? {});
  const sync = pattern?.startsWith("sync") === true;
  const owner = sync ? { execution: run.execution.id, path: frame.path } : undefined;
  const started = await scope
    .guard(
      engine.start(
        run.caller,
        { stateMachineArn: parameters.StateMachineArn, name: frame.progress.started, input },
        owner,
      ),
    )
    .catch((error: unknown) => {
      if (!(error instanceof AwsError)) throw error;
      throw new StateFailure(`StepFunctions.${error.code.replace(/(Exception)?$/, "Exception")}`, error.message);
    });
  if (!sync) return JSON.stringify({ ExecutionArn: started.arn, StartDate: (started.startedAt as number) / 1000 });
  await scope.guard(closed(step, started.id));
  const view = executionView(engine.store.execution(started.id) as typeof started);
  const named = Object.fromEntries(
    Object.entries(view).map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, value]),
  ) as Json;
  if (named.Status !== "SUCCEEDED") throw new StateFailure("States.TaskFailed", JSON.stringify(named));
  if (pattern === "sync:2") Object.assign(named, { Input: JSON.parse(named.Input), Output: JSON.parse(named.Output) });
  return JSON.stringify(named);
}

function closed({ engine }: Step, execution: number): Promise<void> {
  return new Promise((resolve) => {
    if (engine.store.execution(execution)?.status !== "RUNNING") resolve();
    else engine.closing.set(execution, [...(engine.closing.get(execution) ?? []), resolve]);
  });
}

/** Starts the work, then waits for whoever holds the token; an answer may come before the work has returned. */
async function untilAnswered(task: Task, scope: Cancellation): Promise<JsonText> {
  const answer = scope.guard(answerOf(task, scope));
  if (task.step.frame.progress.submitted) return answer;
  const work = request(task, scope).then((output) => {
    task.step.frame.progress.submitted = true;
    note(task, "Submitted", { output, outputDetails: { truncated: false } });
    return answer;
  });
  return Promise.race([answer, work]);
}

function answerOf({ step, heartbeatSeconds }: Task, scope: Cancellation): Promise<JsonText> {
  const { engine, frame } = step;
  const token = frame.progress.token as string;
  const row = engine.store.token(token);
  return new Promise((resolve, reject) => {
    const answered = (outcome: JsonText) => {
      const { output, error, cause } = JSON.parse(outcome);
      if (output !== undefined) resolve(output);
      else reject(new StateFailure(error, cause));
    };
    if (row?.outcome) return answered(row.outcome);
    let heartbeat = scope.child();
    const listen = (from: number) => {
      heartbeat.cancel();
      if (heartbeatSeconds === undefined) return;
      heartbeat = scope.child();
      const late = () => reject(new StateFailure("States.HeartbeatTimeout", `No heartbeat for ${heartbeatSeconds} s.`));
      engine.clock.until(from + heartbeatSeconds * 1000, heartbeat).then(late, () => {});
    };
    listen(Math.max(row?.heartbeatAt ?? 0, frame.progress.submitted ? 0 : engine.clock.now()));
    engine.tokens.set(token, { answered, beat: () => listen(engine.clock.now()) });
    scope.onCancel(() => engine.tokens.delete(token));
  });
}

const regionOf = (resource: string): string => resource.split(":")[3] || localAccount.region;

function noteStart(task: Task): void {
  const { step, integration, timeoutSeconds: timeoutInSeconds, heartbeatSeconds: heartbeatInSeconds } = task;
  const parameters = JSON.stringify(task.arguments);
  const scheduled =
    integration === undefined
      ? { resource: step.state.Resource, input: parameters, inputDetails: { truncated: false } }
      : { ...named(task), region: regionOf(step.state.Resource), parameters };
  step.run.commit(() => {
    note(task, "Scheduled", { ...scheduled, timeoutInSeconds, ...(integration && { heartbeatInSeconds }) });
    note(task, "Started", integration === undefined ? undefined : {});
  });
}

type TaskEvent = "Scheduled" | "Started" | "Submitted" | "Succeeded" | "Failed" | "TimedOut";

/** Functions called by their own ARN have events of their own. */
function note(task: Task, what: TaskEvent, details?: object): void {
  if (task.integration === undefined) task.step.note(`LambdaFunction${what}`, details);
  else task.step.note(`Task${what}`, { ...named(task), ...details });
}

function named({ integration, pattern }: Task): { resourceType: string; resource: string } {
  const [resourceType = "", action = ""] = (integration ?? "").split(":");
  return { resourceType, resource: pattern === undefined ? action : `${action}.${pattern}` };
}
