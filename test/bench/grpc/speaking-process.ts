import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A process that is asked by lines and answers by lines. */
export class SpeakingProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  /** From the start, because an exit is told once: who asks later would wait for ever. */
  readonly #exited: Promise<unknown>;

  constructor(command: readonly string[], environment: Readonly<Record<string, string | undefined>> = process.env) {
    const [program, ...args] = command as [string, ...string[]];
    this.#child = spawn(program, args, { env: { ...environment }, stdio: ["pipe", "pipe", "inherit"] });
    this.#exited = once(this.#child, "exit");
    // Not all of them notice that nobody talks to them any more.
    const killed = () => void this.#child.kill("SIGKILL");
    process.once("exit", killed);
    this.#child.once("exit", () => process.off("exit", killed));
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  /** The next line. @throws Error when it has ended instead */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) {
      await this.#exited;
      const { spawnargs, exitCode, signalCode } = this.#child;
      throw new Error(`${spawnargs.join(" ")} has ended: ${signalCode ?? exitCode}`);
    }
    return value;
  }

  async ask(line: string): Promise<string> {
    this.#child.stdin!.write(`${line}\n`);
    return await this.line();
  }

  get usage(): ProcessUsage {
    return new ProcessUsage(this.#child.pid as number);
  }

  /** Closes its input and lets it end. */
  async end(): Promise<void> {
    this.#child.stdin!.end();
    await this.#exited;
  }

  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
  }
}

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

/** What a process takes, as Linux has it. */
export class ProcessUsage {
  readonly #folder: string;

  constructor(pid: number) {
    this.#folder = `/proc/${pid}`;
  }

  /** Of all its threads, so far. */
  get cpuSeconds(): number {
    // The name of the program is in parentheses and may hold anything.
    const fields = readFileSync(`${this.#folder}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** The most memory since the last time this was forgotten. */
  get peakMiB(): number {
    return this.#mebibytes("VmHWM");
  }

  /** Memory at this moment. */
  get residentMiB(): number {
    return this.#mebibytes("VmRSS");
  }

  #mebibytes(field: string): number {
    const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`${this.#folder}/status`, "utf8")) ?? [];
    return Number(kibibytes) / 1024;
  }

  forgetPeak(): void {
    writeFileSync(`${this.#folder}/clear_refs`, "5");
  }
}
