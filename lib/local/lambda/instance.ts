import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { InvokeResult } from "../service.ts";
import type { FunctionLog } from "./function-log.ts";

export interface InstanceProps {
  readonly name: string;
  readonly arn: string;
  /** Folder of the unpacked asset: LAMBDA_TASK_ROOT. */
  readonly codeFolder: string;
  /** "list-users/index.handler" */
  readonly handler: string;
  readonly memorySizeMiB: number;
  readonly timeoutSeconds: number;
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
const bytesPerMiB = 1024 * 1024;

/**
 * One instance of a function: a thread of its own that answers one invocation at a time. Whatever the code does to its
 * thread (exit, endless loop, out of memory) ends the instance and fails the invocation, never this process.
 */
export class Instance {
  readonly #props: InstanceProps;
  readonly #log: FunctionLog;
  readonly #worker: Worker;
  readonly #onEnd: () => void;
  /** Why the thread is about to end, when we know better than its exit code. */
  #cause: Problem | undefined;
  #running: Running | undefined;
  #lastRequestId: string | null = null;
  #ready = false;

  /** @param onEnd called once, when the thread is gone for whatever reason */
  constructor(props: InstanceProps, log: FunctionLog, onEnd: () => void) {
    this.#props = props;
    this.#log = log;
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL("./worker.mjs", import.meta.url), {
      name: props.name,
      workerData: { ...props, environment: undefined },
      env: { ...props.environment },
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: props.memorySizeMiB,
        // Small functions stay small; a scanning function with gigabytes gets room for its short-lived garbage.
        maxYoungGenerationSizeMb: Math.min(64, Math.max(4, props.memorySizeMiB / 32)),
      },
    });
    this.#worker.on("message", (message: Message) => this.#receive(message));
    this.#worker.on("error", (error: Error & { code?: string }) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") this.#cause ??= outOfMemory;
      else this.#cause ??= { errorType: error.name, errorMessage: error.message, trace: [] };
    });
    this.#worker.on("exit", (code) => this.#end(code));
    this.#follow(this.#worker.stdout, "stdout");
    this.#follow(this.#worker.stderr, "stderr");
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

  /** Ends the thread; an invocation under way fails. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Ends the instance if it holds more than its memory: V8's limits see the heap, not buffers and WebAssembly. */
  async enforceMemory(): Promise<void> {
    if (!this.#ready) return;
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (!statistics) return;
    if (statistics.used_heap_size + statistics.external_memory > this.#props.memorySizeMiB * bytesPerMiB) {
      this.#cause ??= outOfMemory;
      await this.end();
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
    this.#worker.postMessage({ requestId: running.requestId, payload: running.payload });
  }

  #limit(running: Running, seconds: number): void {
    clearTimeout(running.timer);
    running.timer = setTimeout(() => {
      const errorMessage = `Task timed out after ${this.#props.timeoutSeconds.toFixed(2)} seconds`;
      this.#cause ??= { errorType: "Sandbox.Timedout", errorMessage, trace: [] };
      void this.end();
    }, seconds * 1000);
  }

  #end(code: number): void {
    const status = code === 0 ? "without providing a reason" : `with error: exit status ${code}`;
    this.#fail(this.#cause ?? { errorType: "Runtime.ExitError", errorMessage: `Runtime exited ${status}`, trace: [] });
    this.#onEnd();
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

  #follow(output: Readable, stream: "stdout" | "stderr"): void {
    createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      this.#write(stream, parsedIfJson(line));
    });
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

const outOfMemory: Problem = {
  errorType: "Runtime.OutOfMemory",
  errorMessage: "Runtime exited with error: signal: killed",
  trace: [],
};
