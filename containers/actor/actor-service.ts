import type { ReaderLag } from "../../functions/runs/reader-lag.ts";
import { RecordReader } from "../../functions/runs/record-reader.ts";
import type { CallGate } from "../grpc/call-gate.ts";
import { decodeEmpty, decodePayload } from "../grpc/codec.ts";
import { type Outlet, serverStream, unary } from "../grpc/handlers.ts";
import { whole } from "../grpc/message-reader.ts";
import type { Metrics } from "../grpc/metrics.ts";
import type { AdmittedCall } from "../grpc/open-call.ts";
import { type ReplyValues, rpcErrorOf } from "../grpc/rpc-error.ts";
import { inStatuses } from "../grpc/run-statuses.ts";
import type { RunName, Runs } from "../grpc/runs.ts";
import type { ServedService } from "../grpc/server.ts";
import { batchesOf } from "./encoded-batches.ts";
import { shareItems } from "./shared-stream.ts";

const paths = {
  StreamTransition: "/hil_serl.ActorService/StreamTransition",
  SendParameters: "/hil_serl.ActorService/SendParameters",
} as const;

export const actorAccess = {
  [paths.StreamTransition]: "reader",
  [paths.SendParameters]: "learner",
} as const;

/** How often a stream looks how far behind the log it is. */
const lagMilliseconds = 5000;

export interface ActorServiceOptions {
  /** Reads items for streams that share them. @default one that keeps nothing of what it has read */
  readonly groups?: RecordReader;
  /** Is told of a run that has newer parameters. */
  readonly onParameters?: (run: RunName) => void;
}

/**
 * Stands in for actors: serves what they have sent, and takes the parameters that they will fetch.
 */
export function actorService(
  gate: CallGate,
  runs: Runs,
  metrics: Metrics,
  { groups = new RecordReader(0), onParameters }: ActorServiceOptions = {},
): ServedService {
  return {
    name: "hil_serl.ActorService",
    methods: [
      serverStream(paths.StreamTransition, (call, message, outlet) => {
        decodeEmpty(message);
        const { group } = call.wishes;
        if (group)
          return inStatuses(() => shareItems(call, group, outlet, { draining: gate.draining, reader: groups }));
        return streamItems(call, outlet, gate.draining, runs, metrics);
      }),
      unary(paths.SendParameters, async (call, message) => {
        const version = await runs.storeParameters(runOf(call), decodePayload(whole(message)));
        onParameters?.(runOf(call));
        return { "x-hil-param-version": version, "x-hil-durable": 1 };
      }),
    ],
  };
}

const runOf = ({ caller, wishes }: AdmittedCall): RunName => ({ tenant: caller.tenant, name: wishes.run });

let streams = 0;

/**
 * Sends the items of a run from where the caller wants them until the run is closed, the caller goes, or the server does.
 * @returns the trailers of a run that is closed and delivered
 * @throws RpcError with the offset to go on from
 */
async function streamItems(
  call: AdmittedCall,
  outlet: Outlet,
  draining: AbortSignal,
  runs: Runs,
  metrics: Metrics,
): Promise<ReplyValues> {
  const run = runOf(call);
  const delivered = new AbortController();
  const { first, stretches } = await runs.read(run, call.wishes.from, AbortSignal.any([call.signal, delivered.signal]));
  outlet.begin({ "x-hil-first-offset": first });
  const place = { next: first, end: Infinity };
  const stop = whenDraining(draining, async () => {
    place.end = await runs.head(run);
    if (place.next >= place.end) delivered.abort();
  });
  const stopReporting = reportLag(metrics, () => runs.lag(run, place.next));
  try {
    for await (const stretch of stretches) {
      for (const batch of batchesOf(stretch)) {
        await outlet.sendFramed(batch.frames, batch.bytes);
        place.next = batch.next;
      }
      if (place.next >= place.end) break;
    }
    call.signal.throwIfAborted();
    if (draining.aborted) throw draining.reason;
    return { "x-hil-next-offset": place.next };
  } catch (error) {
    // However the reader of the log puts it: the call's own reason to end is what the caller has to know.
    const reason = call.signal.aborted ? call.signal.reason : delivered.signal.aborted ? draining.reason : error;
    throw rpcErrorOf(reason).with({ "x-hil-next-offset": place.next });
  } finally {
    stop();
    stopReporting();
  }
}

/** A server that goes down delivers what there is, and no more: an open run never ends by itself. @returns how to call it off */
function whenDraining(draining: AbortSignal, deliverTheRest: () => Promise<void>): () => void {
  // When the head cannot be read, the drain ends the stream a little later, and the reader goes on from its offset all the same.
  const begin = () => void deliverTheRest().catch(() => undefined);
  if (draining.aborted) begin();
  draining.addEventListener("abort", begin, { once: true });
  return () => draining.removeEventListener("abort", begin);
}

function reportLag(metrics: Metrics, lagOf: () => Promise<ReaderLag>): () => void {
  const stream = String(++streams);
  const timer = setInterval(() => {
    lagOf().then(
      (lag) => metrics.streamLag(stream, lag),
      () => undefined,
    );
  }, lagMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    metrics.streamEnded(stream);
  };
}
