import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import type { Authoriser } from "../../lib/local/gateway.ts";
import type { Caller, FunctionPort, InvokeResult, Json, RestService } from "../../lib/local/service.ts";
import { States, type StatesProps } from "../../lib/local/states.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

/** What a function of a test does: answers a value, or throws an error whose name States sees. */
export type TestFunction = (payload: Json, caller: Caller) => unknown;

export const functionArn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
export const roleArn = "arn:aws:iam::000000000000:role/machine";

export interface StateMachinesProps extends Partial<StatesProps> {
  /** By name. A function that throws answers as Lambda does for an error that was not caught. */
  readonly run?: Record<string, TestFunction>;
  readonly rest?: Record<string, RestService>;
  /** IAM at the gateway. @default everybody may do everything */
  readonly allows?: Authoriser;
}

/** The embedded Step Functions behind a gateway, with functions that are closures of the test. */
export class StateMachines {
  readonly folder: string;
  readonly states: States;
  readonly gateway: TestGateway;
  readonly sfn: SFNClient;
  readonly events: Json[] = [];
  #closing: (() => void)[] = [];

  private constructor(folder: string, states: States, gateway: TestGateway, events: Json[]) {
    this.folder = folder;
    this.states = states;
    this.gateway = gateway;
    this.events = events;
    this.sfn = new SFNClient(gateway.operator);
  }

  static async open({ run = {}, rest, allows, ...props }: StateMachinesProps = {}): Promise<StateMachines> {
    const folder = props.folder ?? mkdtempSync(join(tmpdir(), "states-"));
    const events: Json[] = [];
    const listeners = new Set<() => void>();
    let gateway: TestGateway | undefined;
    const states = new States({
      functions: functionsOf(run),
      credentials: (arn) => (gateway as TestGateway).gateway.credentials.issue(arn.split("/").at(-1) as string, arn),
      endpoint: () => (gateway as TestGateway).endpoint,
      onStatusChange: (event) => {
        events.push(event);
        for (const listener of listeners) listener();
      },
      ...props,
      folder,
    });
    await states.open();
    gateway = await startGateway({ json: { states }, ...(rest && { rest }), ...(allows && { allows }) });
    const machines = new StateMachines(folder, states, gateway, events);
    listeners.add(() => {
      for (const tell of machines.#closing.splice(0)) tell();
    });
    return machines;
  }

  async create(definition: object, type: "STANDARD" | "EXPRESS" = "STANDARD", name = "machine"): Promise<string> {
    return this.states.ensureStateMachine({
      name,
      type,
      roleArn,
      definition: { QueryLanguage: "JSONata", ...definition },
    });
  }

  async start(stateMachineArn: string, input: unknown = {}, name?: string): Promise<string> {
    const command = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input), name });
    return (await this.sfn.send(command)).executionArn as string;
  }

  /** The execution as soon as it is closed. */
  async ended(executionArn: string): Promise<DescribeExecutionCommandOutput> {
    for (;;) {
      const changed = new Promise<void>((resolve) => this.#closing.push(resolve));
      const execution = await this.sfn.send(new DescribeExecutionCommand({ executionArn }));
      if (execution.status !== "RUNNING") return execution;
      await changed;
    }
  }

  /** Creates a machine of these states, runs it once, and answers its status and what came out. */
  async run(definition: object, input: unknown = {}): Promise<Outcome> {
    const arn = await this.start(await this.create(definition), input);
    return outcomeOf(await this.ended(arn));
  }

  async history(executionArn: string): Promise<HistoryEvent[]> {
    return (await this.sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))).events ?? [];
  }

  async close(): Promise<void> {
    this.sfn.destroy();
    await this.gateway.stop();
    await this.states.close();
    rmSync(this.folder, { recursive: true });
  }
}

export interface Outcome {
  readonly arn: string;
  readonly status: string | undefined;
  readonly output: Json;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

export function outcomeOf({ executionArn, status, output, error, cause }: DescribeExecutionCommandOutput): Outcome {
  return { arn: executionArn as string, status, output: output && JSON.parse(output), error, cause };
}

export function functionsOf(run: Record<string, TestFunction>): FunctionPort {
  return {
    async invoke(caller, arn, payload): Promise<InvokeResult> {
      const name = arn.split(":")[6] as string;
      const call = run[name];
      if (!call) return { ok: false, error: "Lambda.ResourceNotFoundException", message: `Function not found: ${arn}` };
      try {
        return { ok: true, payload: await call(payload, caller) };
      } catch (error) {
        const { name, message } = error as Error;
        return { ok: false, error: name, message };
      }
    },
  };
}

/** A Lambda task in the shape that CDK synthesises. */
export const invoke = (name: string, more: object = {}): object => ({
  Type: "Task",
  Resource: "arn:aws:states:::lambda:invoke",
  Arguments: { FunctionName: functionArn(name), Payload: "{% $states.input %}" },
  Output: "{% $states.result.Payload %}",
  ...more,
});

/** An error that a function throws, with the name that Retry and Catch compare. */
export function failure(name: string, message = "as planned"): Error {
  return Object.assign(new Error(message), { name });
}
