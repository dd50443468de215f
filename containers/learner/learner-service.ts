import type { ItemKind } from "../../functions/runs/run.ts";
import { decodePieces } from "../grpc/codec.ts";
import { unary } from "../grpc/handlers.ts";
import type { Message } from "../grpc/message-reader.ts";
import type { Metrics } from "../grpc/metrics.ts";
import type { AdmittedCall } from "../grpc/open-call.ts";
import type { ReplyValues } from "../grpc/rpc-error.ts";
import type { Runs } from "../grpc/runs.ts";
import type { ServedService } from "../grpc/server.ts";

const paths = {
  SendTransition: "/hil_serl.LearnerService/SendTransition",
  SendInteractionMessage: "/hil_serl.LearnerService/SendInteractionMessage",
} as const;

export const learnerAccess = {
  [paths.SendTransition]: "producer",
  [paths.SendInteractionMessage]: "producer",
} as const;

/** Takes what actors send and answers when the log has it, as durably as they asked for. */
export function learnerService(runs: Runs, metrics: Metrics): ServedService {
  const keep = async (kind: ItemKind, call: AdmittedCall, message: Message): Promise<ReplyValues> => {
    const payload = decodePieces(message);
    const { run: name, producer, sequence, idempotencyKey, crc32c, acknowledgement } = call.wishes;
    const item = { kind, payload, producer, sequence, idempotencyKey, crc32c, acknowledgement };
    const begun = performance.now();
    const { offset, duplicate, durable } = await runs.append({ tenant: call.caller.tenant, name }, item);
    metrics.appended(acknowledgement, (performance.now() - begun) / 1000);
    if (duplicate) metrics.duplicates.inc();
    return {
      ...(offset !== undefined && { "x-hil-offset": offset }),
      ...(duplicate && { "x-hil-duplicate": 1 }),
      "x-hil-durable": durable ? 1 : 0,
    };
  };
  return {
    name: "hil_serl.LearnerService",
    methods: [
      unary(paths.SendTransition, (call, message) => keep("transition", call, message)),
      unary(paths.SendInteractionMessage, (call, message) => keep("interaction", call, message)),
    ],
  };
}
