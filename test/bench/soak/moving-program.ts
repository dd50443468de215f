import { startProgram } from "../grpc/servers.ts";
import type { ProcessUsage } from "../grpc/speaking-process.ts";

/** One of our two programs, ended and started again and again; each life has a port of its own. */
export class MovingProgram {
  readonly #name: "learner" | "actor";
  #life: Awaited<ReturnType<typeof startProgram>>;

  private constructor(name: "learner" | "actor", life: Awaited<ReturnType<typeof startProgram>>) {
    this.#name = name;
    this.#life = life;
  }

  static async start(name: "learner" | "actor"): Promise<MovingProgram> {
    return new MovingProgram(name, await startProgram(name));
  }

  /** Of this life. */
  get port(): number {
    return this.#life.port;
  }

  get usage(): ProcessUsage {
    return this.#life.process.usage;
  }

  /** The next life begins when this one is over. */
  async restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#life.process.kill(signal);
    this.#life = await startProgram(this.#name);
  }

  async kill(): Promise<void> {
    await this.#life.process.kill();
  }
}
