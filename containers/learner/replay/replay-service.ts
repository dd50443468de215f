import { randomInt } from "node:crypto";
import { status } from "@grpc/grpc-js";
import { RecordReader } from "../../../functions/runs/record-reader.ts";
import type { CallGate } from "../../grpc/call-gate.ts";
import { type Outlet, serverStream, unaryReply } from "../../grpc/handlers.ts";
import type { Metrics } from "../../grpc/metrics.ts";
import type { AdmittedCall } from "../../grpc/open-call.ts";
import { neverRetry, type ReplyValues, RpcError } from "../../grpc/rpc-error.ts";
import { inStatuses } from "../../grpc/run-statuses.ts";
import type { ServedService } from "../../grpc/server.ts";
import {
  checkpointMessage,
  replayMethods as methods,
  optionsOf,
  sampleMessage,
  tableMessage,
} from "./replay-messages.ts";
import { prioritisedItemsMax, type ReplayTable } from "./replay-table.ts";
import { ReplayTables } from "./replay-tables.ts";
import { type SampledItem, sample } from "./sampler.ts";
import { seededRandom } from "./seeded-random.ts";

export const replayAccess = {
  [methods.Sample.path]: "reader",
  [methods.UpdatePriorities.path]: "learner",
  [methods.Info.path]: "reader",
  [methods.Checkpoint.path]: "reader",
} as const;

/** Most clients take messages of up to 4 MB. */
const messageBytesMax = 3 * 1024 * 1024;

/**
 * Samples for training out of the log of the caller's runs.
 * @param cacheBytesMax held of segments, of all tables together
 */
export function replayService(gate: CallGate, metrics: Metrics, cacheBytesMax: number): ServedService {
  const reader = new RecordReader(cacheBytesMax);
  const tables = new ReplayTables(reader);
  return {
    name: "hil_serl_ext.v1.ReplayService",
    methods: [
      serverStream(methods.Sample.path, (call, message, outlet) =>
        inStatuses(() => sampleInto(outlet, call, message, { tables, reader, metrics, draining: gate.draining })),
      ),
      unaryReply(methods.UpdatePriorities.path, async ({ caller }, message) => {
        const { table: name, updates } = methods.UpdatePriorities.decode(message);
        const table = tables.get(caller.tenant, name);
        refuseTooLarge(table);
        let updated = 0;
        await inStatuses(async () => {
          for (const { run, offset, priority } of updates)
            if (await table.setPriority(run, offset, priority)) updated += 1;
        });
        return { message: methods.UpdatePriorities.encode({ updated, ignored: updates.length - updated }) };
      }),
      unaryReply(methods.Info.path, async ({ caller }, message) => {
        methods.Info.decode(message);
        const known = tables.of(caller.tenant).map(([name, table]) => tableMessage(name, table));
        return { message: methods.Info.encode({ tables: known }) };
      }),
      unaryReply(methods.Checkpoint.path, async ({ caller }, message) => {
        const table = tables.get(caller.tenant, methods.Checkpoint.decode(message).table);
        return { message: methods.Checkpoint.encode(checkpointMessage(await inStatuses(() => table.checkpoint()))) };
      }),
    ],
  };
}

interface Sampling {
  readonly tables: ReplayTables;
  readonly reader: RecordReader;
  readonly metrics: Metrics;
  readonly draining: AbortSignal;
}

async function sampleInto(
  outlet: Outlet,
  { caller, wishes, signal }: AdmittedCall,
  message: Buffer,
  { tables, reader, metrics, draining }: Sampling,
): Promise<ReplyValues> {
  const request = methods.Sample.decode(message);
  const {
    options,
    resume,
    selector,
    seed = randomInt(2 ** 32),
    batch_size: batchSize,
    max_samples: samplesMax,
  } = request;
  const byDefault = optionsOf(null, wishes.run);
  const given = options && optionsOf(options, wishes.run);
  const table = tables.ensure(caller.tenant, request.table, { options: given, byDefault, resume });
  outlet.begin({ "x-hil-seed": seed });
  const ended = AbortSignal.any([signal, draining]);
  const batches = new Batches(batchSize, outlet);
  table.samplers += 1;
  try {
    if (selector === "prioritised") {
      await table.refresh();
      refuseTooLarge(table);
    }
    for await (const item of sample(table, reader, {
      selector,
      random: seededRandom(seed),
      samplesMax,
      signal: ended,
    })) {
      await batches.add(item);
      metrics.samples.inc();
    }
    ended.throwIfAborted();
    await batches.end();
    return {};
  } finally {
    table.samplers -= 1;
  }
}

function refuseTooLarge(table: ReplayTable): void {
  if (!table.isTooLargeForPriorities) return;
  const details = `priorities are for tables of up to ${prioritisedItemsMax} items`;
  throw new RpcError(status.RESOURCE_EXHAUSTED, details, neverRetry);
}

/** Puts samples into messages: each ends with its batch, or before it becomes too large. */
class Batches {
  readonly #size: number;
  readonly #outlet: Outlet;
  #samples: ReturnType<typeof sampleMessage>[] = [];
  #bytes = 0;
  #inBatch = 0;

  constructor(size: number, outlet: Outlet) {
    this.#size = size;
    this.#outlet = outlet;
  }

  async add(item: SampledItem): Promise<void> {
    const bytes = item.record.payload.length;
    if (this.#samples.length > 0 && this.#bytes + bytes > messageBytesMax) await this.#send(false);
    this.#samples.push(sampleMessage(item));
    this.#bytes += bytes;
    this.#inBatch += 1;
    if (this.#inBatch === this.#size) await this.#send(true);
  }

  /** A batch that nothing more comes for is over too. */
  async end(): Promise<void> {
    if (this.#inBatch > 0) await this.#send(true);
  }

  async #send(isEndOfBatch: boolean): Promise<void> {
    const samples = this.#samples;
    this.#samples = [];
    this.#bytes = 0;
    if (isEndOfBatch) this.#inBatch = 0;
    await this.#outlet.send(methods.Sample.encode({ samples, is_end_of_batch: isEndOfBatch }));
  }
}
