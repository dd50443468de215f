import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashPassword } from "../../functions/users/password.ts";
import { type Cloud, startCloud } from "../../lib/local/cloud.ts";
import type { ClockProps } from "../../lib/local/states/clock.ts";
import { freePort } from "../../lib/local/tasks.ts";
import { synthesise } from "./synthesise.ts";

export interface LocalServiceOptions {
  /** Everything the service keeps; one process at a time. */
  readonly dataFolder: string;
  /** @default any free port */
  readonly port?: number;
  /** @default admin@localhost with a password generated once and kept in the data folder */
  readonly administrator?: Credentials | null;
  /** Hosts of the own network that users may name, "host:port,...". @default none */
  readonly outboundAllowedHosts?: string;
  /** Front ends that are served from elsewhere, "https://app.example.com,...". @default none */
  readonly corsOrigins?: string;
  /** Ports of the actor-learner services, 0 for any that is free. @default they do not run */
  readonly actorLearner?: { readonly learnerPort: number; readonly actorPort: number };
  /** Time as executions of state machines see it. @default the system's */
  readonly executionClock?: ClockProps;
  /** Told what is going on while the service starts. */
  readonly onProgress?: (line: string) => void;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface LocalService {
  readonly url: string;
  readonly cloud: Cloud;
  readonly administrator: Credentials;
  /** True when this start generated the administrator's password: the one moment to show it. */
  readonly passwordIsNew: boolean;
  /** A fresh access token of the administrator. */
  token(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the whole product on this machine: synthesises the stack and deploys it into the embedded cloud. */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const progress = options.onProgress ?? (() => {});
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  progress("Preparing the stack ...");
  const assembly = await synthesise();
  progress("Starting the embedded cloud ...");
  const { actorLearner } = options;
  const cloud = await startCloud({
    dataFolder: options.dataFolder,
    assembly,
    port: options.port ?? 0,
    host: "127.0.0.1",
    holdsRequests: true,
    executionClock: options.executionClock,
    runTasks: actorLearner !== undefined,
    parameters: {
      OutboundAllowedHosts: options.outboundAllowedHosts ?? "",
      CorsOrigins: options.corsOrigins ?? "",
      ...(actorLearner && {
        LearnerPort: String(await freePort(actorLearner.learnerPort, "the learner (LEARNER_PORT)")),
        ActorPort: String(await freePort(actorLearner.actorPort, "the actor (ACTOR_PORT)")),
      }),
    },
  });
  try {
    const { credentials, isNew } = options.administrator
      ? { credentials: options.administrator, isNew: false }
      : keptAdministrator(options.dataFolder);
    await migrate(cloud);
    await ensureAdministrator(cloud, credentials);
    cloud.takeRequests();
    return {
      url: cloud.apiUrl,
      cloud,
      administrator: credentials,
      passwordIsNew: isNew,
      token: () => signIn(cloud.apiUrl, credentials),
      stop: () => cloud.stop(),
    };
  } catch (error) {
    await cloud.stop();
    throw error;
  }
}

/** The administrator of a data folder that was given none: generated at the first start, kept where only its owner reads. */
function keptAdministrator(dataFolder: string): { credentials: Credentials; isNew: boolean } {
  const file = join(dataFolder, "administrator.json");
  if (existsSync(file)) return { credentials: JSON.parse(readFileSync(file, "utf8")) as Credentials, isNew: false };
  const credentials = { email: "admin@localhost", password: randomBytes(15).toString("base64url") };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  return { credentials, isNew: true };
}

/** As an operator does after a deployment. The data folder is ours alone, so no other run can be alive. */
async function migrate(cloud: Cloud): Promise<void> {
  const result = await cloud.invoke(cloud.outputs.RunMigrationsFunction as string, { take_over: true });
  if (!result.ok)
    throw new Error(`the stored records could not be brought up to date: ${result.error}: ${result.message}`);
}

async function ensureAdministrator(cloud: Cloud, { email, password }: Credentials): Promise<void> {
  const event = { email, full_name: "Administrator", password_hash: await hashPassword(password) };
  const result = await cloud.invoke(cloud.outputs.CreateAdministratorFunction as string, event);
  if (!result.ok) throw new Error(`the administrator could not be created: ${result.error}: ${result.message}`);
}

async function signIn(url: string, { email, password }: Credentials): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: "POST",
    body: new URLSearchParams({ username: email, password }),
  });
  if (!response.ok) throw new Error(`signing in as ${email} failed: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
