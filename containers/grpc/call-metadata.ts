import * as z from "zod";
import { defaultRunName, RunName } from "../../functions/runs/run.ts";
import type { RequestMetadata } from "./request-metadata.ts";
import { invalidArgument } from "./rpc-error.ts";

const WholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .pipe(z.int());

/** Everything that a caller may say besides the message; a client of the plain interface says none of it. */
const CallMetadata = z.object({
  "x-hil-run": RunName.default(defaultRunName),
  /** In the form of a run's name, which shows well in tools. */
  "x-hil-producer": RunName.optional(),
  "x-hil-seq": WholeNumber.optional(),
  "x-hil-idempotency-key": z
    .string()
    .regex(/^[!-~]{1,200}$/)
    .optional(),
  "x-hil-ack": z.enum(["durable", "memory"]).default("durable"),
  /** Eight hex digits: decimal ones could not be told apart from them. */
  "x-hil-crc32c": z
    .string()
    .regex(/^[0-9A-Fa-f]{8}$/)
    .transform((hex) => Number.parseInt(hex, 16))
    .optional(),
  "x-hil-from": z
    .string()
    .regex(/^(now|earliest|offset:\d{1,16})$/)
    .transform((text) => (text === "now" || text === "earliest" ? text : Number(text.slice("offset:".length))))
    .pipe(z.union([z.literal(["now", "earliest"]), z.int()]))
    .default("now"),
  "x-hil-group": RunName.optional(),
});

const forms: Readonly<Record<keyof z.infer<typeof CallMetadata>, string>> = {
  "x-hil-run": "1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit",
  "x-hil-producer": "1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit",
  "x-hil-seq": "a whole number",
  "x-hil-idempotency-key": "1 to 200 visible ASCII characters",
  "x-hil-ack": "durable or memory",
  "x-hil-crc32c": "eight hex digits",
  "x-hil-from": "now, earliest or offset:N",
  "x-hil-group": "1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit",
};

export interface CallerWishes {
  readonly run: string;
  readonly producer?: string;
  readonly sequence?: number;
  readonly idempotencyKey?: string;
  readonly acknowledgement: "durable" | "memory";
  readonly crc32c?: number;
  readonly from: "now" | "earliest" | number;
  /** Shares the items with all who name the same one. */
  readonly group?: string;
}

/**
 * Reads the `x-hil-` keys of a call. One that we do not know is refused: misspelt, it would silently not do what it is there for.
 * @throws RpcError INVALID_ARGUMENT naming the key
 */
export function readCallMetadata(metadata: RequestMetadata): CallerWishes {
  const given: Record<string, string> = {};
  for (const key of metadata.keys("x-hil-")) {
    if (!Object.hasOwn(forms, key)) throw invalidArgument(`there is no metadata key ${key}`);
    const values = metadata.get(key);
    if (values.length > 1) throw invalidArgument(`${key} is given more than once`);
    given[key] = String(values[0]);
  }
  const parsed = CallMetadata.safeParse(given);
  if (!parsed.success) {
    const key = String(parsed.error.issues[0]?.path[0]) as keyof typeof forms;
    throw invalidArgument(`${key} must be ${forms[key]}`);
  }
  const { data } = parsed;
  return {
    run: data["x-hil-run"],
    producer: data["x-hil-producer"],
    sequence: data["x-hil-seq"],
    idempotencyKey: data["x-hil-idempotency-key"],
    acknowledgement: data["x-hil-ack"],
    crc32c: data["x-hil-crc32c"],
    from: data["x-hil-from"],
    group: data["x-hil-group"],
  };
}
