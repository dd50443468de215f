import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authoriseRun } from "./authorise-run.ts";
import { crc32c } from "./crc32c.ts";
import { type RunItem, readRun } from "./read-run.ts";
import { isRunError } from "./run-error.ts";

/** Of an answer: Lambda's are bounded at 6 MB. Base64 makes four bytes of three. */
const base64BytesMax = 4 * 1024 * 1024;
const base64Bytes = (bytes: number) => 4 * Math.ceil(bytes / 3);

const Item = z.object({
  offset: z.number().int(),
  kind: z.enum(["transition", "interaction"]),
  /** When it arrived. */
  time: z.string(),
  /** Empty when the sender named none. */
  producer: z.string(),
  /** Of the payload. */
  bytes: z.number().int(),
  /** Of the payload; it was compared with the one that was stored. */
  crc32c: z.number().int(),
  /** Base64; null when it was not asked for, or alone is too much for an answer: such an item is read by gRPC. */
  payload: z.string().nullable(),
});
export const RunItemPage = z.object({
  items: z.array(Item),
  /** Where the next page begins. */
  next_offset: z.number().int(),
  /** What is behind these items and damaged, for ever; the next page begins behind it. */
  damaged: z.object({ from_offset: z.number().int(), to_offset: z.number().int() }).nullable(),
});
export type RunItemPage = z.output<typeof RunItemPage>;

export const listRunItems = operation(
  {
    method: "GET",
    path: "/runs/{id}/items",
    summary: "Read a run's items from an offset on: up to a limit, 4 MiB of payloads, or what is damaged",
    auth: "user",
    scope: "reader",
    params: z.object({ id: Id }),
    query: z.object({
      /** @default the oldest that is kept */
      from: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      data: z.stringbool().default(true),
    }),
    success: RunItemPage,
    failures: ["run_not_found", "run_offset_not_kept"],
    grants: { reads: ["run"], results: { reads: ["runs/*"] } },
    // A segment of one item has up to 256 MiB, which are in memory twice for a moment.
    memoryMiB: 1024,
  },
  async ({ params, query, caller }) => {
    const run = await authoriseRun(caller, params.id);
    const items: z.input<typeof Item>[] = [];
    let next = query.from ?? run.first;
    let room = base64BytesMax;
    try {
      const reading = await readRun(run.id, { offset: next }, { isLive: false });
      for await (const item of reading.items) {
        const wanted = query.data ? base64Bytes(item.payload.length) : 0;
        if (wanted > room && items.length > 0) break;
        items.push(itemView(item, query.data && wanted <= room));
        room -= wanted;
        next = item.offset + 1;
        if (items.length === query.limit || room <= 0) break;
      }
    } catch (error) {
      if (isRunError(error, "out_of_range")) throw notKept(next, error);
      if (!isRunError(error, "data_loss")) throw error;
      const to = Number(error.fields.next);
      return { items, next_offset: to, damaged: { from_offset: Number(error.fields.offset), to_offset: to } };
    }
    return { items, next_offset: next, damaged: null };
  },
);

const notKept = (offset: number, { fields }: { fields: Readonly<Record<string, string | number>> }) =>
  new SluiceError("run_offset_not_kept", { offset, first: fields.first as number, next: fields.next as number });

const itemView = ({ offset, kind, time, producer, payload }: RunItem, hasData: boolean): z.input<typeof Item> => ({
  offset,
  kind,
  time: new Date(time).toISOString(),
  producer,
  bytes: payload.length,
  crc32c: crc32c(payload),
  payload: hasData ? payload.toString("base64") : null,
});
