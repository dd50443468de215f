import fc from "fast-check";
import { expect, it } from "vitest";
import { batchesOf } from "../../containers/actor/encoded-batches.ts";
import { encodeActorInformation } from "../../containers/grpc/codec.ts";
import { framed } from "../../containers/grpc/response-wire.ts";
import type { RunItem } from "../../containers/grpc/runs.ts";

const item = (offset: number, bytes: number): RunItem => ({
  offset,
  kind: offset % 3 ? "transition" : "interaction",
  payload: Buffer.alloc(bytes, offset % 251),
});

it("batches of items are the items one by one, each once, and say where they end", () => {
  const sizes = fc.array(fc.oneof(fc.nat(2000), fc.constantFrom(0, 65_536, 65_537, 200_000)), { maxLength: 80 });
  fc.assert(
    fc.property(sizes, fc.nat(1e9), (all, first) => {
      const stretch = all.map((bytes, index) => item(first + index, bytes));
      const batches = [...batchesOf(stretch)];
      const messages = stretch.map(({ kind, payload }) => encodeActorInformation(kind, payload));
      expect(Buffer.concat(batches.map(({ frames }) => frames))).toEqual(
        Buffer.concat(messages.map((message) => framed(message))),
      );
      expect(batches.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(
        messages.reduce((sum, one) => sum + one.length, 0),
      );
      if (stretch.length > 0) expect(batches.at(-1)?.next).toBe(first + stretch.length);
    }),
    { numRuns: 50 },
  );
});

it("batches are made when they are asked for, and once for all who ask", () => {
  const stretch = Array.from({ length: 100 }, (_, offset) => item(offset, 10_000));
  const [first] = batchesOf(stretch);
  const again = [...batchesOf(stretch)];
  expect(again[0]).toBe(first);
  expect([...batchesOf(stretch)].every((batch, index) => batch === again[index])).toBe(true);
  expect(again.length).toBeGreaterThan(10);
});
