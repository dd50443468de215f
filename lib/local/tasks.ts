import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { dyingWithParent } from "./lambda/dying-with-parent.ts";
import type { FunctionLog } from "./lambda/function-log.ts";
import { eachLine } from "./lambda/lines.ts";

export interface TaskProps {
  /** Name of its container. */
  readonly name: string;
  /** What would be in its image; the working directory. */
  readonly folder: string;
  /** Arguments of Node: the program, then its own. */
  readonly args: readonly string[];
  /** Where it listens on loopback. */
  readonly port: number;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The first wait before a program that ended starts again; it doubles with each end in a row. */
const backOffMs = 100;
const backOffMsMax = 10_000;
/** A program that ran this long did not fail at its start. */
const steadyMs = 10_000;
const pollMs = 20;

/** Fargate on this machine: runs each task definition once, as a process, and starts it again when it ends, as a service would. */
export class Tasks {
  readonly #log: FunctionLog;
  readonly #tasks = new Map<string, Task>();

  constructor(log: FunctionLog) {
    this.#log = log;
  }

  add(props: TaskProps): void {
    this.#tasks.set(props.name, new Task(props, this.#log));
  }

  /** Starts every task and waits until each accepts connections. @throws Error when a port is taken or a program ends at its start */
  async start(): Promise<void> {
    const tasks = [...this.#tasks.values()];
    for (const { props } of tasks) await freePort(props.port, `the ${props.name}`);
    await Promise.all(tasks.map((task) => task.start()));
  }

  /** Addresses by name, of those that run: "127.0.0.1:50051". */
  get addresses(): Readonly<Record<string, string>> {
    const running = [...this.#tasks.values()].filter(({ pid }) => pid !== undefined);
    return Object.fromEntries(running.map(({ props: { name, port } }) => [name, `127.0.0.1:${port}`]));
  }

  /** The process of a task, for tests that kill it. */
  processOf(name: string): number | undefined {
    return this.#tasks.get(name)?.pid;
  }

  /** Asks every program to go down, and waits for it as long as it takes; the programs promise 100 s. */
  async stop(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.stop()));
    await this.#log.flush();
  }
}

class Task {
  readonly props: TaskProps;
  readonly #log: FunctionLog;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(props: TaskProps, log: FunctionLog) {
    this.props = props;
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#spawn();
    this.#running = this.#keepRunning(child);
    while (!(await accepts(this.props.port))) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the ${this.props.name} ended at its start; logs/functions.jsonl of the data folder says why`);
      await setTimeout(pollMs);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill("SIGTERM");
    await this.#running;
  }

  async #keepRunning(first: ChildProcess): Promise<void> {
    let child = first;
    for (let failures = 0; ; ) {
      const began = performance.now();
      await ended(child);
      this.#child = undefined;
      if (this.#stopping.signal.aborted) return;
      failures = performance.now() - began < steadyMs ? failures + 1 : 1;
      const wait = Math.min(backOffMsMax, backOffMs * 2 ** (failures - 1));
      this.#write("runtime", `ended with ${child.signalCode ?? child.exitCode}; starts again in ${wait} ms`);
      await setTimeout(wait, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
      child = this.#spawn();
    }
  }

  #spawn(): ChildProcess {
    const { folder, args, environment } = this.props;
    const [command, ...rest] = dyingWithParent([process.execPath, ...args]);
    const child = spawn(command!, rest, {
      cwd: folder,
      env: { ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // Out of the terminal's reach: Ctrl-C would come to it twice, from there and from us, and a second signal ends a program undrained.
      detached: true,
    });
    for (const stream of ["stdout", "stderr"] as const) eachLine(child[stream]!, (line) => this.#write(stream, line));
    this.#child = child;
    return child;
  }

  #write(stream: "stdout" | "stderr" | "runtime", message: string): void {
    this.#log.write({ function: this.props.name, request_id: null, stream, message });
  }
}

/** A program that could not even be started has no exit. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit").catch(() => undefined);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Makes sure that a port of loopback can be listened on.
 * @param port 0 for any
 * @param who names the one who wants it in the error
 * @returns the port
 * @throws Error when it is taken
 */
export async function freePort(port: number, who: string): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`port ${port} is in use; ${who} needs another one`);
  }
  const address = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return address.port;
}
