import { startProgram } from "../grpc/servers.ts";

/** One of our two programs, ended and started again and again; each life has a port of its own. */
export class MovingProgram {
  readonly #name: "learner" | "actor";
  #isAlive = true;
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

  /** Memory at this moment; 0 between two lives. */
  get residentMiB(): number {
    return this.#isAlive ? this.#life.process.usage.residentMiB : 0;
  }

  /** The next life begins when this one is over. */
  async restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#isAlive = false;
    await this.#life.process.kill(signal);
    this.#life = await startProgram(this.#name);
    this.#isAlive = true;
  }

  async kill(): Promise<void> {
    await this.#life.process.kill();
  }
}
