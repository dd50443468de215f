import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { status } from "@grpc/grpc-js";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ReaderLag } from "../../functions/runs/reader-lag.ts";
import type { RunLogCounters } from "../../functions/runs/run-log.ts";
import type { CommittedSegment } from "../../functions/runs/segment-pipeline.ts";
import type { ByteBudget } from "./byte-budget.ts";

interface MethodCounts {
  /** Calls under way. */
  open: number;
  /** Bytes. */
  received: number;
  sent: number;
  /** Calls by how they ended. */
  readonly ended: Map<status, number>;
}

/** What a program counts and measures; names and labels are what dashboards and alarms refer to. */
export class Metrics {
  readonly registry = new Registry();
  readonly #registers = { registers: [this.registry] };
  /** By method. Every chunk of every call is counted, and prom-client looks its labels up each time: these are handed to it when it is asked. */
  readonly #methods = new Map<string, MethodCounts>();
  readonly #lag = new Gauge({
    name: "hil_stream_lag_items",
    help: "Items that a stream has not sent yet, by stream, when it last looked",
    labelNames: ["stream"],
    ...this.#registers,
  });
  readonly #lagBytes = new Gauge({
    name: "hil_stream_lag_bytes",
    help: "Bytes of the log that a stream has not sent yet, by stream, when it last looked; beyond 200 segments an estimate",
    labelNames: ["stream"],
    ...this.#registers,
  });
  readonly #appendSeconds = new Histogram({
    name: "hil_append_seconds",
    help: "Time that the log takes to acknowledge an item, by acknowledgement",
    labelNames: ["acknowledgement"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ...this.#registers,
  });
  /** Kept, as prom-client checks labels anew each time that it is asked for one. */
  readonly #appended = {
    durable: this.#appendSeconds.labels("durable"),
    memory: this.#appendSeconds.labels("memory"),
  };
  readonly duplicates = new Counter({
    name: "hil_duplicates_total",
    help: "Items that the log had already",
    ...this.#registers,
  });
  readonly samples = new Counter({
    name: "hil_samples_total",
    help: "Items sent as samples",
    ...this.#registers,
  });
  readonly #commitSeconds = new Histogram({
    name: "hil_segment_commit_seconds",
    help: "Time from the end of a segment to its commit: one object and one transaction",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    ...this.#registers,
  });
  readonly #segmentBytes = new Histogram({
    name: "hil_segment_bytes",
    help: "Size of segments, by what ended them",
    labelNames: ["reason"],
    buckets: [1024, 16_384, 131_072, 1_048_576, 8_388_608, 67_108_864],
    ...this.#registers,
  });
  readonly drainSeconds = new Gauge({
    name: "hil_drain_seconds",
    help: "How long the drain has taken so far, by phase",
    labelNames: ["phase"],
    ...this.#registers,
  });

  constructor(budget: ByteBudget) {
    this.#countCalls();
    const collect = { name: "hil_in_flight_bytes", help: "Bytes of requests held in memory", ...this.#registers };
    new Gauge({
      ...collect,
      collect() {
        this.set(budget.used);
      },
    });
    // Memory, processor time, garbage collection and the delay of the event loop.
    collectDefaultMetrics({ register: this.registry });
  }

  /** Looks at the counters of the logs that are open whenever somebody asks; what a log has counted goes when it is closed. */
  observeLogs(countersOf: () => readonly RunLogCounters[]): void {
    const observe = (name: string, help: string, counter: keyof RunLogCounters) =>
      new Gauge({
        name,
        help,
        ...this.#registers,
        collect() {
          this.set(countersOf().reduce((sum, counters) => sum + counters[counter], 0));
        },
      });
    observe("hil_failed_writes", "Tries of writes to S3 and DynamoDB that failed, of the open logs", "failedWrites");
    observe("hil_sequence_gaps", "Numbers that producers left out, of the open logs", "gaps");
    observe("hil_lost_items", "Items acknowledged from memory that could not be stored, of the open logs", "lost");
  }

  /** @param seconds from the whole request to the log's word that it is kept */
  appended(acknowledgement: "durable" | "memory", seconds: number): void {
    this.#appended[acknowledgement].observe(seconds);
  }

  segmentCommitted({ bytes, reason, ms }: CommittedSegment): void {
    this.#commitSeconds.observe(ms / 1000);
    this.#segmentBytes.observe({ reason }, bytes);
  }

  callBegan(method: string): void {
    this.#of(method).open += 1;
  }

  callEnded(method: string, code: status): void {
    const counts = this.#of(method);
    counts.open -= 1;
    counts.ended.set(code, (counts.ended.get(code) ?? 0) + 1);
  }

  received(method: string, bytes: number): void {
    this.#of(method).received += bytes;
  }

  sent(method: string, bytes: number): void {
    this.#of(method).sent += bytes;
  }

  #of(method: string): MethodCounts {
    const known = this.#methods.get(method);
    if (known) return known;
    const counts = { open: 0, received: 0, sent: 0, ended: new Map() };
    this.#methods.set(method, counts);
    return counts;
  }

  #countCalls(): void {
    const methods = this.#methods;
    const byMethod = { labelNames: ["method"], ...this.#registers };
    new Counter({
      name: "hil_calls_total",
      help: "Calls that ended, by method and status code",
      labelNames: ["method", "code"],
      ...this.#registers,
      collect() {
        this.reset();
        for (const [method, { ended }] of methods)
          for (const [code, calls] of ended) this.inc({ method, code: status[code] ?? String(code) }, calls);
      },
    });
    new Counter({
      name: "hil_received_bytes_total",
      help: "Bytes of requests as received, by method",
      ...byMethod,
      collect() {
        this.reset();
        for (const [method, { received }] of methods) this.inc({ method }, received);
      },
    });
    new Counter({
      name: "hil_sent_bytes_total",
      help: "Bytes of messages sent, by method",
      ...byMethod,
      collect() {
        this.reset();
        for (const [method, { sent }] of methods) this.inc({ method }, sent);
      },
    });
    new Gauge({
      name: "hil_open_calls",
      help: "Calls under way, by method; those of StreamTransition are the streams",
      ...byMethod,
      collect() {
        for (const [method, { open }] of methods) this.set({ method }, open);
      },
    });
  }

  streamLag(stream: string, { items, bytes }: ReaderLag): void {
    this.#lag.set({ stream }, items);
    this.#lagBytes.set({ stream }, bytes);
  }

  streamEnded(stream: string): void {
    this.#lag.remove({ stream });
    this.#lagBytes.remove({ stream });
  }
}

/**
 * Serves the metrics as Prometheus text at `/metrics`. They name no tenants and no payloads, and nothing is asked of who reads them: the port is
 * for loopback or the inside of a VPC.
 */
export async function serveMetrics(metrics: Metrics, host: string, port: number) {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    const text = await metrics.registry.metrics();
    response.writeHead(200, { "Content-Type": metrics.registry.contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What CloudWatch gets: few, because it bills each. Alarms need no more, and Prometheus has the rest. */
const reported = {
  hil_calls_total: { name: "Calls", unit: "Count" },
  hil_received_bytes_total: { name: "ReceivedBytes", unit: "Bytes" },
  hil_sent_bytes_total: { name: "SentBytes", unit: "Bytes" },
  hil_failed_writes: { name: "FailedWrites", unit: "Count" },
  hil_duplicates_total: { name: "Duplicates", unit: "Count" },
  hil_open_calls: { name: "OpenCalls", unit: "Count" },
  hil_in_flight_bytes: { name: "InFlightBytes", unit: "Bytes" },
} as const;

/** Codes that are our fault or our limit, and not the caller's. */
const failures = new Set(["UNKNOWN", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "DEADLINE_EXCEEDED"]);

/**
 * Makes lines in CloudWatch's embedded metric format. Counters are reported as what came on since the line before.
 * @param service dimension of the metrics, "learner" or "actor"
 */
export function emfReporter(metrics: Metrics, service: string): (now: Date) => Promise<string> {
  const before = new Map<string, number>();
  const since = (name: string, total: number): number => {
    const came = total - (before.get(name) ?? 0);
    before.set(name, total);
    return came;
  };
  return async (now) => {
    const values: Record<string, number> = {};
    for (const metric of await metrics.registry.getMetricsAsJSON()) {
      const report = reported[metric.name as keyof typeof reported];
      if (!report) continue;
      const total = metric.values.reduce((sum, { value }) => sum + value, 0);
      values[report.name] = metric.name.endsWith("_total") ? since(report.name, total) : total;
      if (metric.name !== "hil_calls_total") continue;
      const failed = metric.values.filter(({ labels }) => failures.has(String(labels.code)));
      values.FailedCalls = since(
        "FailedCalls",
        failed.reduce((sum, { value }) => sum + value, 0),
      );
    }
    const units = Object.values(reported).map(({ name, unit }) => ({ Name: name, Unit: unit }));
    const Metrics = [...units, { Name: "FailedCalls", Unit: "Count" }];
    const CloudWatchMetrics = [{ Namespace: "Sluice/ActorLearner", Dimensions: [["service"]], Metrics }];
    return JSON.stringify({ _aws: { Timestamp: now.getTime(), CloudWatchMetrics }, service, ...values });
  };
}
