import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** One of the two programs as a process of its own, on any free port. */
export class ServedProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts it and waits until it listens. @throws Error with what it printed, when it ends instead */
  static async start(name: "learner" | "actor", environment: Record<string, string> = {}): Promise<ServedProcess> {
    const child = spawn(process.execPath, [resolve(root, `containers/${name}/main.ts`)], {
      env: { ...process.env, GRPC_PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    const listening = Promise.withResolvers<number>();
    const read = (part: Buffer) => {
      output += part.toString();
      const port = /listens on port (\d+)\n/.exec(output)?.[1];
      if (port) listening.resolve(Number(port));
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", (code) => listening.reject(new Error(`exit ${code}: ${output}`)));
    return new ServedProcess(child, await listening.promise);
  }

  /** @returns the exit code, null when the signal ended it */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const exited = once(this.#child, "exit");
    this.#child.kill(signal);
    return (await exited)[0];
  }

  signal(signal: "SIGTERM"): void {
    this.#child.kill(signal);
  }
}
