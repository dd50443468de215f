import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { InvokeResult } from "../service.ts";
import { dyingWithParent } from "./dying-with-parent.ts";
import type { FunctionLog } from "./function-log.ts";
import { eachLine } from "./lines.ts";

export interface InstanceProps {
  readonly name: string;
  readonly arn: string;
  /** Folder of the unpacked asset: LAMBDA_TASK_ROOT. */
  readonly codeFolder: string;
  /** "list-users/index.handler" */
  readonly handler: string;
  readonly memorySizeMiB: number;
  readonly timeoutSeconds: number;
  /** Folder in which instances leave what V8 made of their code, for those that start later. @default none */
  readonly codeCache?: string;
  /** The whole environment of the function; nothing of this process is added. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Problem {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

type Message =
  | { readonly kind: "ready" }
  | { readonly kind: "crash"; readonly problem: Problem }
  | { readonly kind: "result"; readonly requestId: string; readonly payload: string }
  | { readonly kind: "failure"; readonly requestId: string; readonly problem: Problem };

interface Running {
  readonly requestId: string;
  readonly payload: string;
  readonly settle: (result: InvokeResult) => void;
  timer: NodeJS.Timeout | undefined;
}

/** Lambda gives the code outside the handler ten seconds, and on failure the time of the invocation once more. */
const initSeconds = 10;
const runtime = fileURLToPath(new URL("./runtime.mjs", import.meta.url));

/**
 * One instance of a function: a process of its own that answers one invocation at a time. Whatever the code does to its
 * process (exit, endless loop, out of memory) ends the instance and fails the invocation, never the embedded cloud. A thread
 * would not do: V8 aborts the whole process when one large allocation fails, and cannot be stopped inside native code.
 */
export class Instance {
  readonly #props: InstanceProps;
  readonly #log: FunctionLog;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  /** Why the process is about to end, when we know better than its exit code. */
  #cause: Problem | undefined;
  #running: Running | undefined;
  #lastRequestId: string | null = null;
  #ready = false;

  /** @param onEnd called once, when the process is gone for whatever reason */
  constructor(props: InstanceProps, log: FunctionLog, onEnd: () => void) {
    this.#props = props;
    this.#log = log;
    // Lambda's own runtime leaves a tenth of the memory to everything that is not V8's heap.
    const heapMiB = Math.floor(props.memorySizeMiB * 0.9);
    const [command, ...args] = dyingWithParent([process.execPath, `--max-old-space-size=${heapMiB}`, runtime]);
    this.#process = spawn(command!, args, {
      cwd: props.codeFolder,
      env: { ...props.environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.#process.on("message", (message: Message) => this.#receive(message));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    const end = (text: string) => {
      this.#end(text);
      onEnd();
      resolve();
    };
    this.#process.once("exit", (code, signal) => end(exitText(code, signal)));
    this.#process.on("error", (error) => {
      // A process that did not even start has no exit; one that ended before it took a message has.
      if (this.#process.pid === undefined) end(`with error: ${error.message}`);
    });
    if (this.#process.pid === undefined) return;
    for (const stream of ["stdout", "stderr"] as const) {
      eachLine(this.#process[stream]!, (line) => this.#write(stream, parsedIfJson(line)));
    }
    const { environment, ...fn } = props;
    this.#process.send({ kind: "start", fn });
  }

  /** Undefined when the process could not even be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Answers one invocation; the caller keeps to one at a time. Never rejects. */
  invoke(requestId: string, payload: string): Promise<InvokeResult> {
    this.#lastRequestId = requestId;
    return new Promise((settle) => {
      this.#running = { requestId, payload, settle, timer: undefined };
      if (this.#ready) this.#send(this.#running);
      else this.#limit(this.#running, initSeconds + this.#props.timeoutSeconds);
    });
  }

  /** Ends the process; an invocation under way fails. */
  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  /**
   * Ends the instance if it holds more than its memory: V8's limit sees its heap, not buffers and WebAssembly. The pages of
   * Node's own program do not count here, which is about 40 MB more lenient than Lambda.
   */
  enforceMemory(): void {
    const { pid } = this.#process;
    if (pid !== undefined && anonymousMiB(pid) > this.#props.memorySizeMiB) {
      this.#cause ??= outOfMemory;
      void this.end();
    }
  }

  #receive(message: Message): void {
    if (message.kind === "ready") {
      this.#ready = true;
      if (this.#running) this.#send(this.#running);
    } else if (message.kind === "crash") {
      this.#cause = message.problem;
    } else if (message.requestId === this.#running?.requestId) {
      if (message.kind === "result") this.#settle({ ok: true, payload: JSON.parse(message.payload) });
      else this.#fail(message.problem);
    }
  }

  #send(running: Running): void {
    this.#limit(running, this.#props.timeoutSeconds);
    this.#process.send({ kind: "invoke", requestId: running.requestId, payload: running.payload });
  }

  #limit(running: Running, seconds: number): void {
    clearTimeout(running.timer);
    running.timer = setTimeout(() => {
      const errorMessage = `Task timed out after ${this.#props.timeoutSeconds.toFixed(2)} seconds`;
      this.#cause ??= { errorType: "Sandbox.Timedout", errorMessage, trace: [] };
      void this.end();
    }, seconds * 1000);
  }

  #end(exit: string): void {
    const errorMessage = `Runtime exited ${exit}`;
    this.#fail(this.#cause ?? { errorType: "Runtime.ExitError", errorMessage, trace: [] });
  }

  /**
   * The message is the JSON that Lambda answers with, which Step Functions shows as the Cause. Errors of the sandbox carry
   * the request's id, errors of the handler come as the handler threw them.
   */
  #fail({ errorType, errorMessage, trace }: Problem): void {
    if (!this.#running) return;
    const { requestId } = this.#running;
    const bySandbox = /^(Sandbox\.Timedout|Runtime\.(ExitError|OutOfMemory))$/.test(errorType);
    const text = bySandbox ? `RequestId: ${requestId} Error: ${errorMessage}` : errorMessage;
    const answer = { errorType, errorMessage: text, ...(trace.length > 0 && { trace }) };
    this.#write("runtime", answer);
    this.#settle({ ok: false, error: errorType, message: JSON.stringify(answer) });
  }

  #settle(result: InvokeResult): void {
    clearTimeout(this.#running?.timer);
    const running = this.#running;
    this.#running = undefined;
    running?.settle(result);
  }

  /** Output that arrives between two invocations belongs to the one before. */
  #write(stream: "stdout" | "stderr" | "runtime", message: unknown): void {
    this.#log.write({ function: this.#props.name, request_id: this.#lastRequestId, stream, message });
  }
}

/** What a function logs as JSON stays searchable JSON in our log. */
function parsedIfJson(line: string): unknown {
  if (!line.startsWith("{")) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** In the words of Lambda. */
function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `with error: signal: ${signalTexts[signal ?? ""] ?? signal}`;
  return code === 0 ? "without providing a reason" : `with error: exit status ${code}`;
}

const signalTexts: Readonly<Record<string, string>> = {
  SIGABRT: "aborted",
  SIGILL: "illegal instruction",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGTRAP: "trace/breakpoint trap",
};

/** Zero where the system has no /proc, and for a process that has just ended: nothing is enforced then. */
function anonymousMiB(pid: number): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const outOfMemory: Problem = {
  errorType: "Runtime.OutOfMemory",
  errorMessage: "Runtime exited with error: signal: killed",
  trace: [],
};
