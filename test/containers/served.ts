import { onTestFinished } from "vitest";
import { actorAccess, actorService } from "../../containers/actor/actor-service.ts";
import { type Program, type RunningProgram, startProgram } from "../../containers/grpc/program.ts";
import type { Runs } from "../../containers/grpc/runs.ts";
import { readSettings } from "../../containers/grpc/settings.ts";
import { learnerAccess, learnerService } from "../../containers/learner/learner-service.ts";
import { MemoryRuns } from "./memory-runs.ts";
import { PlainClient } from "./plain-client.ts";

/** Both services on one port, as the specification allows. */
export const bothPrograms: Program = {
  name: "both",
  defaultPort: 0,
  access: { ...learnerAccess, ...actorAccess },
  services: (gate, runs, metrics) => [learnerService(gate, runs, metrics), actorService(gate, runs, metrics)],
};

export interface Served<R extends Runs> {
  readonly program: RunningProgram;
  readonly runs: R;
  readonly port: number;
  readonly client: PlainClient;
}

/** Both services on any free port of loopback, with a client, until the test is over. */
export async function serve(environment?: Record<string, string>): Promise<Served<MemoryRuns>>;
export async function serve<R extends Runs>(environment: Record<string, string>, runs: R): Promise<Served<R>>;
export async function serve(environment: Record<string, string> = {}, runs: Runs = new MemoryRuns()) {
  const settings = readSettings(environment, { GRPC_PORT: "0", METRICS_PORT: "0" });
  const program = await startProgram(bothPrograms, settings, () => runs);
  const client = new PlainClient(program.port);
  onTestFinished(() => {
    client.close();
    program.stop();
  });
  return { program, runs, port: program.port, client };
}
