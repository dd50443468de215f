import * as z from "zod";
import type { ItemKind } from "../../../functions/runs/run.ts";
import { RunName } from "../../../functions/runs/run-name.ts";
import { extensionMethod } from "../../grpc/extension.ts";
import type { ReplayTable, Selector, TableCheckpoint, TableOptions } from "./replay-table.ts";
import type { SampledItem } from "./sampler.ts";

/** A run costs a question each time that a table looks. */
const runsMax = 64;
const updatesMax = 10_000;

const TableName = z
  .string()
  .transform((name) => name || "default")
  .pipe(RunName);
const Offset = z.int().min(0);
const Priority = z.number().min(0).max(1e100);

const kinds: Readonly<Record<string, ItemKind | null>> = {
  ITEM_KIND_UNSPECIFIED: null,
  ITEM_KIND_TRANSITION: "transition",
  ITEM_KIND_INTERACTION: "interaction",
};
const selectors: Readonly<Record<string, Selector>> = {
  SELECTOR_UNSPECIFIED: "uniform",
  SELECTOR_UNIFORM: "uniform",
  SELECTOR_FIFO: "fifo",
  SELECTOR_PRIORITISED: "prioritised",
};
const nameOf = <T>(names: Readonly<Record<string, T>>, value: T): string =>
  Object.keys(names).findLast((name) => names[name] === value) as string;
/** A number in place of a name is one that a newer client knows. */
const named = <T>(names: Readonly<Record<string, T>>) =>
  z
    .string("has a value that is not known")
    .refine((name) => name in names)
    .transform((name) => names[name] as T);

const RateLimits = z
  .object({
    samples_per_insert: z.number().min(0).max(1e6),
    min_size: Offset,
    error_buffer: z.number().min(0).max(1e15),
  })
  .refine(
    ({ samples_per_insert, error_buffer }) =>
      samples_per_insert === 0 || error_buffer >= Math.max(1, samples_per_insert),
    {
      path: ["error_buffer"],
      error: "must be at least 1 and samples_per_insert",
    },
  )
  .transform(({ samples_per_insert: samplesPerInsert, min_size, error_buffer: errorBuffer }) => ({
    samplesPerInsert,
    minSize: min_size || 1,
    errorBuffer,
  }));
const unlimited = { samplesPerInsert: 0, minSize: 1, errorBuffer: 0 };

const Options = z.object({
  runs: z
    .array(RunName)
    .max(runsMax)
    .refine((runs) => new Set(runs).size === runs.length, { error: "names a run twice" }),
  kind: named(kinds),
  rate_limiter: RateLimits.nullable(),
  priority_exponent: z.number().min(0).max(10).default(1),
});

const Resume = z
  .object({
    offsets: z.array(z.object({ run: RunName, next_offset: Offset })).max(runsMax),
    inserts: Offset,
    samples: Offset,
  })
  .transform(
    ({ offsets, inserts, samples }): TableCheckpoint => ({
      offsets: offsets.map(({ run, next_offset: nextOffset }) => ({ run, nextOffset })),
      inserts,
      samples,
    }),
  );

const Updates = z.array(z.object({ run: RunName, offset: Offset, priority: Priority })).max(updatesMax);

export const replayMethods = {
  Sample: {
    ...extensionMethod(
      "ReplayService",
      "Sample",
      z.object({
        table: TableName,
        options: Options.nullable(),
        selector: named(selectors),
        seed: z.int().optional(),
        batch_size: z
          .int()
          .max(10_000)
          .transform((size) => size || 1),
        max_samples: Offset.transform((max) => max || Infinity),
        resume: Resume.nullable(),
      }),
    ),
    stream: true,
  },
  UpdatePriorities: extensionMethod(
    "ReplayService",
    "UpdatePriorities",
    z.object({ table: TableName, updates: Updates }),
  ),
  Info: extensionMethod("ReplayService", "Info", z.object({})),
  Checkpoint: extensionMethod("ReplayService", "Checkpoint", z.object({ table: TableName })),
} as const;

/** @param run of a table that names none */
export const optionsOf = (given: z.output<typeof Options> | null, run: string): TableOptions => ({
  runs: given?.runs.length ? given.runs : [run],
  kind: given?.kind ?? null,
  limits: given?.rate_limiter ?? unlimited,
  exponent: given?.priority_exponent ?? 1,
});

export const sampleMessage = ({ source, offset, record, probability, priority, tableSize }: SampledItem) => ({
  run: source.run,
  offset,
  kind: nameOf(kinds, record.kind),
  payload: record.payload,
  probability,
  priority,
  table_size: tableSize,
});

export const tableMessage = (name: string, { options, size, waiting, limiter, samplers }: ReplayTable) => ({
  name,
  options: {
    runs: options.runs,
    kind: nameOf(kinds, options.kind),
    rate_limiter: {
      samples_per_insert: options.limits.samplesPerInsert,
      min_size: options.limits.minSize,
      error_buffer: options.limits.errorBuffer,
    },
    priority_exponent: options.exponent,
  },
  size,
  waiting_items: waiting,
  inserts: limiter.inserts,
  samples: limiter.samples,
  samplers,
});

export const checkpointMessage = ({ offsets, inserts, samples }: TableCheckpoint) => ({
  offsets: offsets.map(({ run, nextOffset }) => ({ run, next_offset: nextOffset })),
  inserts,
  samples,
});
