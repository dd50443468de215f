import { onTestFinished } from "vitest";
import { actorAccess, actorService } from "../../containers/actor/actor-service.ts";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { CallGate, type GateOptions } from "../../containers/grpc/call-gate.ts";
import { Metrics } from "../../containers/grpc/metrics.ts";
import { type Program, type RunningProgram, startProgram } from "../../containers/grpc/program.ts";
import { Quota } from "../../containers/grpc/quota.ts";
import { runAccess, runService } from "../../containers/grpc/run-service.ts";
import type { Runs } from "../../containers/grpc/runs.ts";
import { startServer } from "../../containers/grpc/server.ts";
import { mebi, readSettings } from "../../containers/grpc/settings.ts";
import { learnerAccess, learnerService } from "../../containers/learner/learner-service.ts";
import { replayAccess, replayService } from "../../containers/learner/replay/replay-service.ts";
import { MemoryRuns } from "./memory-runs.ts";
import { PlainClient } from "./plain-client.ts";

/** All services on one port, as the specification allows. */
export const bothPrograms: Program = {
  name: "both",
  defaultPort: 0,
  access: { ...learnerAccess, ...actorAccess, ...runAccess, ...replayAccess },
  services: (gate, runs, metrics, settings) => [
    learnerService(runs, metrics),
    actorService(gate, runs, metrics),
    runService(),
    replayService(gate, metrics, settings.GRPC_REPLAY_CACHE_MIB * mebi),
  ],
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

/** The actor's service behind a gate and on a server with options that are no settings, such as short times. */
export async function serveWith(
  gateOptions: Pick<GateOptions, "access" | "authenticate" | "recheckMilliseconds">,
  times: { keepaliveMilliseconds?: number; keepaliveTimeoutMilliseconds?: number } = {},
) {
  const messageBytesMax = 1024 * 1024;
  const budget = new ByteBudget(messageBytesMax);
  const metrics = new Metrics(budget);
  const gate = new CallGate({ ...gateOptions, budget, metrics, quota: new Quota({}), messageBytesMax, now: Date.now });
  const runs = new MemoryRuns();
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    gate,
    services: [actorService(gate, runs, metrics)],
    reflection: false,
    ...times,
  });
  const client = new PlainClient(server.port);
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return { client, gate, port: server.port, runs };
}
