import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Api, type ApiProps } from "./api.ts";
import type { RestApi } from "./deploy/rest-api.ts";
import { type Deployed, deploy } from "./deploy.ts";
import { DynamoDb } from "./dynamodb.ts";
import { Gateway } from "./gateway.ts";
import { Iam } from "./iam.ts";
import { Invokers } from "./invokers.ts";
import { Kms } from "./kms.ts";
import { FunctionLog } from "./lambda/function-log.ts";
import { Lambda } from "./lambda.ts";
import { lockFolder } from "./lock.ts";
import { S3 } from "./s3.ts";
import { Schedule } from "./schedule.ts";
import { type Caller, type InvokeResult, localAccount } from "./service.ts";
import type { ClockProps } from "./states/clock.ts";
import { States } from "./states.ts";
import { Tasks } from "./tasks.ts";

export interface CloudProps {
  /** Everything that is kept; made when missing. One process at a time. */
  readonly dataFolder: string;
  /** Folder that `cdk synth` wrote, with the template and assets of one stack. */
  readonly assembly: string;
  /** Port of the API. @default 0, any free one */
  readonly port?: number;
  readonly host: "127.0.0.1";
  /** Values of the template's parameters. @default their defaults */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Time as executions of state machines see it, so that tests need not sit out their waits. @default the system's */
  readonly executionClock?: ClockProps;
  /** Whether to run the task definitions of the stack too, each once. @default false: most need only functions, and each is a process */
  readonly runTasks?: boolean;
  /**
   * Whether requests to the API wait for `takeRequests()`: the port is taken at once, and nobody is answered before everything is in place.
   * @default false
   */
  readonly holdsRequests?: boolean;
  /** Gets what functions print, as JSON lines; the file in the data folder has it anyway. */
  readonly log?: (line: string) => void;
}

/** The stack of an assembly, running on this machine. */
export interface Cloud {
  /** Address of the REST API, without a slash at the end. */
  readonly apiUrl: string;
  /** Address of all AWS services, for SDK clients. */
  readonly endpoint: string;
  readonly gateway: Gateway;
  /** Credentials that may do everything. */
  readonly operator: Caller;
  /** What Ref and GetAtt of each resource give, by logical id. */
  readonly resources: ReadonlyMap<string, Deployed>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly iam: Iam;
  readonly dynamodb: DynamoDb;
  readonly s3: S3;
  readonly kms: Kms;
  readonly states: States;
  readonly lambda: Lambda;
  readonly tasks: Tasks;
  /**
   * Invokes a function as the operator.
   * @param name logical id or name of the function
   */
  invoke(name: string, event: unknown): Promise<InvokeResult>;
  /** Lets the API answer, where it was told to hold requests. */
  takeRequests(): void;
  /** Ends everything; requests and functions under way get a moment. What is stored goes on at the next start. */
  stop(): Promise<void>;
}

/** Expired objects and versions are removed this often; AWS does it about once a day. */
const objectSweepMs = 60 * 60 * 1000;

type Close = () => void | Promise<void>;

/**
 * Deploys a synthesised stack on this machine and runs it: opens the data, creates or finds each resource, lets running
 * executions go on, then answers.
 * @throws FolderInUse, PortInUse, or an Error that names what the embedded cloud does not know
 */
export async function startCloud(props: CloudProps): Promise<Cloud> {
  const closes: Close[] = [];
  try {
    return await start(props, closes);
  } catch (error) {
    await closeAll(closes);
    throw error;
  }
}

async function start(props: CloudProps, closes: Close[]): Promise<Cloud> {
  const dataFolder = resolve(props.dataFolder);
  closes.push(lockFolder(dataFolder));
  const temporaryFolder = join(dataFolder, "tmp");
  rmSync(temporaryFolder, { recursive: true, force: true });
  mkdirSync(join(dataFolder, "logs"), { recursive: true, mode: 0o700 });

  const iam = new Iam();
  const log = new FunctionLog(join(dataFolder, "logs", "functions.jsonl"), props.log);
  const lambda = new Lambda({ log });
  const tasks = new Tasks(log);
  const dynamodb = new DynamoDb({ folder: join(dataFolder, "dynamodb") });
  const s3 = new S3({ folder: join(dataFolder, "s3") });
  const kms = new Kms({ folder: join(dataFolder, "kms") });
  const schedule = new Schedule({ invoke: (...call) => invokers.byRule(...call) });
  const states: States = new States({
    ...props.executionClock,
    folder: join(dataFolder, "states"),
    functions: { invoke: (...call) => invokers.byRole(...call) },
    credentials: (roleArn) => invokers.roleOf(roleArn),
    endpoint: () => gateway.endpoint,
    authorise: (caller, operation, permissions) => void gateway.authorise(caller, "states", operation, permissions),
    onStatusChange: (event) => schedule.put(event),
  });
  const gateway: Gateway = new Gateway({
    json: { dynamodb, kms, states },
    rest: { s3 },
    allows: (caller, permission) => iam.allows(caller, permission),
  });
  const invokers = new Invokers(gateway, iam, lambda, states);

  for (const part of [dynamodb, s3, kms]) {
    await part.open();
    closes.push(() => part.close());
  }
  await gateway.start();
  closes.push(() => gateway.stop());
  closes.push(() => schedule.stop());
  closes.push(() => lambda.close());
  await states.open();
  closes.push(() => states.close());
  const { endpoint, credentials } = gateway;
  const parts = { iam, lambda, dynamodb, s3, kms, states, schedule, tasks, credentials, endpoint, temporaryFolder };
  const deployment = await deploy({ assembly: props.assembly, parts, parameters: props.parameters });
  invokers.rulesByTarget = deployment.rulesByTarget;
  // Before executions go on: rules would miss what became of them.
  schedule.start();
  await states.resume();
  closes.push(sweepObjects(s3));
  closes.push(() => tasks.stop());
  if (props.runTasks) await tasks.start();
  const invoke: ApiProps["invoke"] = (...call) => invokers.byApi(...call);
  const api = new Api({ ...(deployment.api ?? noApi), invoke, holdsRequests: props.holdsRequests });
  const apiUrl = await api.listen(props.host, props.port ?? 0);
  closes.push(() => api.stop());

  const operator = credentials.issue("operator", `arn:aws:iam::${localAccount.account}:user/operator`);
  return {
    ...{ apiUrl, endpoint, gateway, operator, iam, dynamodb, s3, kms, states, lambda, tasks },
    resources: deployment.resources,
    outputs: deployment.outputs,
    invoke: (name, event) => {
      const functionName = deployment.resources.get(name)?.ref ?? name;
      const arn = `arn:aws:lambda:${localAccount.region}:${localAccount.account}:function:${functionName}`;
      return invokers.byRole(operator, arn, event);
    },
    takeRequests: () => api.takeRequests(),
    stop: () => closeAll(closes),
  };
}

/** A stack without an API still starts; every request is answered as unknown. */
const noApi: RestApi = { apiId: "none", stage: "none", variables: null, binaryMediaTypes: [], body: {}, responses: [] };

/** In the opposite order of opening; a part that does not close must not keep the others, and the folder, from closing. */
async function closeAll(closes: Close[]): Promise<void> {
  for (const close of closes.splice(0).toReversed()) {
    try {
      await close();
    } catch (error) {
      console.error("embedded cloud: a part did not close:", error);
    }
  }
}

function sweepObjects(s3: S3): Close {
  let sweeping: Promise<void> = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() => s3.sweep())
      .catch((error) => console.error("embedded cloud: S3 sweep failed:", error));
  };
  const timer = setInterval(sweep, objectSweepMs).unref();
  sweep();
  return () => {
    clearInterval(timer);
    return sweeping;
  };
}
