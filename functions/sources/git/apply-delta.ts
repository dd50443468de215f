/** What a delta says about itself before anything is copied. */
export interface DeltaHead {
  readonly baseBytes: number;
  readonly resultBytes: number;
  /** Where the instructions begin. */
  readonly at: number;
}

/** @throws RangeError for a delta that ends within its head */
export function readDeltaHead(delta: Buffer): DeltaHead {
  const [baseBytes, middle] = readSize(delta, 0);
  const [resultBytes, at] = readSize(delta, middle);
  return { baseBytes, resultBytes, at };
}

/**
 * Builds an object from another one and the instructions that turn it into this: https://git-scm.com/docs/pack-format, "Deltified
 * representation". Allocates `resultBytes`, which the caller has held to its limits.
 * @throws RangeError for instructions that reach beyond the base, the delta or the result, or that do not fill it
 */
export function applyDelta(base: Buffer, delta: Buffer, { baseBytes, resultBytes, at }: DeltaHead): Buffer {
  if (base.length !== baseBytes) throw new RangeError("the delta belongs to another base");
  const result = Buffer.allocUnsafe(resultBytes);
  let filled = 0;
  for (let next = at; next < delta.length; ) {
    const instruction = delta[next++]!;
    if (instruction === 0) throw new RangeError("reserved instruction");
    let source = delta;
    let start = next;
    let length = instruction;
    if (instruction & 0x80) {
      source = base;
      [start, next] = readSparse(delta, next, instruction & 0x0f, 4);
      [length, next] = readSparse(delta, next, (instruction >> 4) & 0x07, 3);
      // Three bytes of size, of which none is set, stand for the most common one.
      length ||= 0x10000;
    } else next += length;
    if (start + length > source.length || filled + length > resultBytes) throw new RangeError("out of bounds");
    source.copy(result, filled, start, start + length);
    filled += length;
  }
  if (filled !== resultBytes) throw new RangeError("the result is not filled");
  return result;
}

/** Seven bits a byte, the lowest first. Five bytes reach 32 GiB, beyond every limit. */
function readSize(bytes: Buffer, at: number): [size: number, next: number] {
  let size = 0;
  for (let position = 0; position < 5; position++) {
    const byte = byteAt(bytes, at + position);
    size += (byte & 0x7f) * 2 ** (7 * position);
    if (byte < 0x80) return [size, at + position + 1];
  }
  throw new RangeError("size without an end");
}

/** Little endian; a bit of `present` says for each byte whether it is there or zero. */
function readSparse(bytes: Buffer, at: number, present: number, count: number): [value: number, next: number] {
  let value = 0;
  let next = at;
  for (let position = 0; position < count; position++)
    if (present & (1 << position)) value += byteAt(bytes, next++) * 2 ** (8 * position);
  return [value, next];
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("cut short");
  return byte;
}
