import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseRun } from "./authorise-run.ts";
import { findParameters } from "./parameter-store.ts";
import { type RunRate, runRates } from "./run-rates.ts";
import { RunView, runView } from "./run-view.ts";

const Rate = z.object({
  /** The time that the rate is of, up to now; shorter than a minute or an hour when more came than is looked at or kept. */
  seconds: z.number(),
  transitions_per_second: z.number(),
  interactions_per_second: z.number(),
  bytes_per_second: z.number(),
});

const rateView = (rate: RunRate): z.input<typeof Rate> => ({
  seconds: rate.seconds,
  transitions_per_second: rate.transitionsPerSecond,
  interactions_per_second: rate.interactionsPerSecond,
  bytes_per_second: rate.bytesPerSecond,
});

// How far readers lag is known to the program that serves them, whose metrics say it, and to nobody who only sees the store.
export const readRunDetails = operation(
  {
    method: "GET",
    path: "/runs/{id}",
    summary: "Show a run: what it holds, how fast it grows, its newest parameters",
    auth: "user",
    scope: "reader",
    params: z.object({ id: Id }),
    success: RunView.extend({
      rates: z.object({ last_minute: Rate, last_hour: Rate }),
      parameters: z
        .object({
          version: z.number().int(),
          bytes: z.number().int(),
          crc32c: z.number().int(),
          created_at: z.string(),
        })
        .nullable(),
    }),
    failures: ["run_not_found"],
    grants: { reads: ["run"] },
  },
  async ({ params, caller, now }) => {
    const run = await authoriseRun(caller, params.id);
    const [rates, parameters] = await Promise.all([
      runRates(run, [60, 3600], now()),
      run.parameterVersion === 0 ? null : findParameters(run.id, run.parameterVersion),
    ]);
    const [minute, hour] = rates as [RunRate, RunRate];
    return {
      ...runView(run),
      rates: { last_minute: rateView(minute), last_hour: rateView(hour) },
      parameters: parameters && {
        version: parameters.version,
        bytes: parameters.bytes,
        crc32c: parameters.crc32c,
        created_at: parameters.createdAt,
      },
    };
  },
);
