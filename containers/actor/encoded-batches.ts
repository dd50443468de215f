import { actorInformationHeads } from "../grpc/codec.ts";
import { framePrefix } from "../grpc/response-wire.ts";
import type { RunItem } from "../grpc/runs.ts";

/** Items as they go over the line, as many as one write should have. */
export interface EncodedBatch {
  readonly frames: Buffer;
  /** Of the messages, without their prefixes. */
  readonly bytes: number;
  /** The offset behind its last item. */
  readonly next: number;
}

/** Enough that a write costs little beside its bytes; a larger item has one of its own. */
const batchBytesMax = 64 * 1024;

/** By the stretch that they were made of, and as long as it is kept: all who read the same one send the same bytes. */
const known = new WeakMap<readonly RunItem[], EncodedBatch[]>();

/** The items of a stretch as StreamTransition sends them. What comes is encoded when it is asked for. */
export function* batchesOf(stretch: readonly RunItem[]): Generator<EncodedBatch> {
  const made = known.get(stretch) ?? [];
  known.set(stretch, made);
  for (let at = 0, from = 0; from < stretch.length; at++) {
    const batch = made[at] ?? encodedFrom(stretch, from);
    made[at] = batch;
    yield batch;
    from = batch.next - (stretch[0] as RunItem).offset;
  }
}

function encodedFrom(stretch: readonly RunItem[], from: number): EncodedBatch {
  const parts: Buffer[] = [];
  let bytes = 0;
  let at = from;
  for (
    let item = stretch[at];
    item && (at === from || bytes + item.payload.length <= batchBytesMax);
    item = stretch[++at]
  ) {
    const [outer, inner] = actorInformationHeads(item.kind, item.payload);
    const length = outer.length + inner.length + item.payload.length;
    parts.push(framePrefix(length), outer, inner, item.payload);
    bytes += length;
  }
  return { frames: Buffer.concat(parts), bytes, next: (stretch[at - 1] as RunItem).offset + 1 };
}
