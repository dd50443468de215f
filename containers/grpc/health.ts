import type { MethodDefinition } from "@grpc/grpc-js";
import { status } from "@grpc/grpc-js";
import { service } from "grpc-health-check";
import { MalformedMessage } from "./codec.ts";
import { serverStream, unaryReply } from "./handlers.ts";
import type { Method } from "./open-call.ts";
import { RpcError } from "./rpc-error.ts";

type Status = "SERVING" | "NOT_SERVING" | "SERVICE_UNKNOWN";
type Definition = MethodDefinition<{ service: string }, { status: Status }>;

const { Check, Watch } = service as unknown as Record<"Check" | "Watch", Definition>;

/** Answers `grpc.health.v1.Health` for all services of a server alike: they are stored in one place, and fail together. */
export class HealthService {
  readonly methods: readonly Method[];
  readonly #names: ReadonlySet<string>;
  /** Resolves at the next change. */
  #changed = Promise.withResolvers<void>();
  #isServing = true;

  /** @param names of the services, the empty one for the server */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    this.methods = [
      unaryReply(Check.path, async (_, message) => {
        const name = nameIn(message);
        const found = this.#statusOf(name);
        if (found === "SERVICE_UNKNOWN") throw new RpcError(status.NOT_FOUND, `there is no service ${name}`);
        return { message: Check.responseSerialize({ status: found }) };
      }),
      serverStream(Watch.path, async (call, message, outlet) => {
        const name = nameIn(message);
        const ended = new Promise<never>((_, reject) => {
          call.signal.addEventListener("abort", () => reject(call.signal.reason), { once: true });
        });
        // Whoever waits hears of it; while something is sent nobody does.
        ended.catch(() => undefined);
        for (let told: Status | undefined; ; await Promise.race([this.#changed.promise, ended])) {
          const now = this.#statusOf(name);
          if (now !== told) await outlet.send(Watch.responseSerialize({ status: now }));
          told = now;
        }
      }),
    ];
  }

  /** Tells who asks, and who watches, whether calls are taken. */
  set(isServing: boolean): void {
    this.#isServing = isServing;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #statusOf(name: string): Status {
    if (!this.#names.has(name)) return "SERVICE_UNKNOWN";
    return this.#isServing ? "SERVING" : "NOT_SERVING";
  }
}

function nameIn(message: Buffer): string {
  try {
    return Check.requestDeserialize(message).service;
  } catch (error) {
    throw new MalformedMessage((error as Error).message);
  }
}
