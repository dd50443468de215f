import { parseArgs } from "node:util";
import * as z from "zod";
import { faultKinds, type SeededFaults } from "./faults.ts";

export interface FakeLlmCommand {
  readonly port: number;
  readonly latencyMs: number;
  /** Null: the model has no faults of its own. */
  readonly faults: SeededFaults | null;
}

export const usage = `npm run fake-llm -- [options]
  --port N        where to listen on this machine (8790; 0 for any free port)
  --latency MS    how long an answer takes (0)
  --faults RATE   share of contents that get a fault, 0 to 1 (0)
  --seed N        which of them, and which fault (printed when left out)
  --kinds A,B     only these faults: ${faultKinds.join(", ")}`;

const Options = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(8_790),
  latency: z.coerce.number().min(0).max(600_000).default(0),
  faults: z.coerce.number().min(0).max(1).default(0),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 32),
  kinds: z
    .string()
    .transform((list) => list.split(","))
    .pipe(z.array(z.enum(faultKinds)).min(1))
    .optional(),
});

/**
 * Reads the command line.
 * @param seed for a run that names none
 * @throws Error with a readable reason; what to do about it is in `usage`
 */
export function readFakeLlmOptions(argv: readonly string[], seed: number): FakeLlmCommand {
  const text = { type: "string" } as const;
  const options = { port: text, latency: text, faults: text, seed: text, kinds: text };
  const { values } = parseArgs({ args: [...argv], options });
  const parsed = Options.safeParse({ ...values, seed: values.seed ?? seed });
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join("\n"));
  const { port, latency, faults: rate, seed: chosen, kinds } = parsed.data;
  return { port, latencyMs: latency, faults: rate === 0 ? null : { seed: chosen, rate, kinds } };
}
