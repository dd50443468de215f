import { hostname } from "node:os";
import { letBuffersGather } from "../../functions/platform/heap-growth.ts";
import { errorFields, log } from "../../functions/platform/log.ts";
import { byApiToken, withoutTokens } from "./authentication.ts";
import { ByteBudget } from "./byte-budget.ts";
import { type Access, CallGate } from "./call-gate.ts";
import { drain, type Timetable } from "./drain.ts";
import { emfReporter, Metrics, serveMetrics } from "./metrics.ts";
import { Quota } from "./quota.ts";
import type { Runs } from "./runs.ts";
import { type ServedService, startServer } from "./server.ts";
import { mebi, readSettings, requireStorage, type Settings } from "./settings.ts";
import { StoredRuns } from "./stored-runs.ts";
import { tlsOf } from "./transport-security.ts";

export interface Program {
  /** Dimension of its metrics and name in its log. */
  readonly name: string;
  readonly defaultPort: number;
  readonly access: Access;
  readonly services: (gate: CallGate, runs: Runs, metrics: Metrics, settings: Settings) => readonly ServedService[];
}

export interface RunningProgram {
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Goes down by the timetable. */
  drain(timetable?: Timetable): Promise<void>;
  /** Lets go of everything at once. */
  stop(): void;
}

/** How often CloudWatch gets a line; it keeps minutes. */
const emfMilliseconds = 60_000;
/** How often it is looked whether writes still succeed. */
const healthMilliseconds = 1000;

/**
 * Starts a program with the settings of an environment.
 * @param openRuns makes the log that it serves
 */
export async function startProgram(
  program: Program,
  settings: Settings,
  openRuns: (metrics: Metrics) => Runs,
): Promise<RunningProgram> {
  const budget = new ByteBudget(settings.GRPC_IN_FLIGHT_MIB * mebi);
  const metrics = new Metrics(budget);
  const runs = openRuns(metrics);
  const messageBytesMax = settings.GRPC_MESSAGE_MIB * mebi;
  const gate = new CallGate({
    access: program.access,
    authenticate: settings.GRPC_AUTHENTICATION === "on" ? byApiToken() : withoutTokens,
    budget,
    quota: new Quota({
      callsPerSecond: settings.GRPC_QUOTA_CALLS_PER_SECOND,
      bytesPerSecond: settings.GRPC_QUOTA_BYTES_PER_SECOND,
    }),
    metrics,
    messageBytesMax,
    now: Date.now,
  });
  const server = await startServer({
    host: settings.GRPC_HOST,
    port: settings.GRPC_PORT,
    tls: tlsOf(settings),
    gate,
    services: program.services(gate, runs, metrics, settings),
    reflection: settings.GRPC_REFLECTION === "on",
  });
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_EMF: emf } = settings;
  const endpoint = port === undefined ? undefined : await serveMetrics(metrics, host, port);
  let serving = true;
  const watch = setInterval(() => {
    if (serving === runs.isHealthy() || gate.draining.aborted) return;
    serving = !serving;
    server.setServing(serving);
    log(serving ? "info" : "error", serving ? "serving again" : "not serving: writes have been failing");
  }, healthMilliseconds);
  const reportEmf = emfReporter(metrics, program.name);
  const report = async () => console.log(await reportEmf(new Date()));
  const reporting = emf === "on" ? setInterval(report, emfMilliseconds) : undefined;
  const stop = () => {
    clearInterval(watch);
    clearInterval(reporting);
    endpoint?.close();
    server.close();
  };
  return {
    port: server.port,
    metricsPort: endpoint?.port,
    async drain(timetable) {
      await drain({ server, gate, runs, metrics, timetable });
      if (reporting) await report();
      stop();
    },
    stop,
  };
}

/**
 * The life of a program as a process: reads its environment, serves, and goes down by the timetable when it is told to. A second signal ends it at
 * once. Exit codes: 0 drained, 1 ended at once or failed, 2 cannot start.
 */
export async function runProgram(program: Program): Promise<void> {
  letBuffersGather();
  let running: RunningProgram;
  try {
    const settings = readSettings(process.env, { GRPC_PORT: String(program.defaultPort) });
    requireStorage(process.env);
    const ownerId = `${program.name}@${hostname()}:${settings.GRPC_PORT}`;
    const bytesMax = settings.GRPC_IN_FLIGHT_MIB * mebi;
    running = await startProgram(program, settings, (metrics) => new StoredRuns({ ownerId, bytesMax, metrics }));
  } catch (error) {
    console.error(`The ${program.name} cannot start: ${(error as Error).message}`);
    process.exit(2);
  }
  let told = false;
  const goDown = () => {
    if (told) process.exit(1);
    told = true;
    running.drain().then(
      () => process.exit(0),
      (error) => {
        log("error", "drain failed", errorFields(error));
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", goDown).on("SIGINT", goDown);
  console.log(`The ${program.name} listens on port ${running.port}`);
}
