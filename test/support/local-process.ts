import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { dyingWithParent } from "../../lib/local/lambda/dying-with-parent.ts";

const root = resolve(import.meta.dirname, "../..");

/** `npm start` as a process of its own, the way a user runs it. */
export class LocalProcess {
  readonly url: string;
  readonly output: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, output: string) {
    this.#child = child;
    this.url = url;
    this.output = output;
  }

  /** Starts it and waits until it says that it is ready. @throws Error with what it printed, when it ends instead */
  static async start(environment: Record<string, string>): Promise<LocalProcess> {
    // A test that gave up waiting leaves nobody to end it.
    const [command = "", ...args] = dyingWithParent([process.execPath, resolve(root, "bin/local.ts")]);
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH, PORT: "0", LEARNER_PORT: "0", ACTOR_PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const { promise, resolve: ready, reject } = Promise.withResolvers<string>();
    const read = (part: Buffer) => {
      output += part.toString();
      const url = /Sluice is ready at (\S+)\n/.exec(output)?.[1];
      if (url) ready(url);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.on("exit", (code) => reject(new Error(`exit ${code}: ${output}`)));
    return new LocalProcess(child, await promise, output);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** As power loss would for the process: nothing gets a chance to finish. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** As Ctrl-C does. @returns the exit code */
  async stop(): Promise<number | null> {
    return this.#end("SIGINT");
  }

  async #end(signal: "SIGKILL" | "SIGINT"): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
    return this.#child.exitCode;
  }
}
