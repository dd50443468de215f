import { RunName } from "../../functions/runs/run-name.ts";
import type { RequestMetadata } from "./request-metadata.ts";
import { invalidArgument } from "./rpc-error.ts";

/** How the value of a key is read. By hand, as a schema costs as much as the rest of letting a call in. */
interface Key {
  readonly wish: keyof CallerWishes;
  readonly form: string;
  /** @returns undefined when the text has not that form */
  readonly read: (text: string) => string | number | undefined;
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);
const wholeNumber = (text: string) => {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
};
const name = {
  form: "1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit",
  read: (text: string) => RunName.safeParse(text).data,
};

/** Everything that a caller may say besides the message; a client of the plain interface says none of it. */
const keys: Readonly<Record<string, Key>> = {
  "x-hil-run": { wish: "run", ...name },
  /** In the form of a run's name, which shows well in tools. */
  "x-hil-producer": { wish: "producer", ...name },
  "x-hil-seq": { wish: "sequence", form: "a whole number", read: wholeNumber },
  "x-hil-idempotency-key": {
    wish: "idempotencyKey",
    form: "1 to 200 visible ASCII characters",
    read: matching(/^[!-~]{1,200}$/),
  },
  "x-hil-ack": { wish: "acknowledgement", form: "durable or memory", read: matching(/^(?:durable|memory)$/) },
  /** Decimal digits could not be told apart from these. */
  "x-hil-crc32c": {
    wish: "crc32c",
    form: "eight hex digits",
    read: (text) => (/^[0-9A-Fa-f]{8}$/.test(text) ? Number.parseInt(text, 16) : undefined),
  },
  "x-hil-from": {
    wish: "from",
    form: "now, earliest or offset:N",
    read: (text) =>
      text === "now" || text === "earliest"
        ? text
        : text.startsWith("offset:")
          ? wholeNumber(text.slice(7))
          : undefined,
  },
  "x-hil-group": { wish: "group", ...name },
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
 * @param run of a caller who names none
 * @throws RpcError INVALID_ARGUMENT naming the key
 */
export function readCallMetadata(metadata: RequestMetadata, run: string): CallerWishes {
  const wishes: Record<string, unknown> = { run, acknowledgement: "durable", from: "now" };
  for (const key of metadata.keys("x-hil-")) {
    const known = Object.hasOwn(keys, key) ? (keys[key] as Key) : undefined;
    if (!known) throw invalidArgument(`there is no metadata key ${key}`);
    const values = metadata.get(key);
    if (values.length > 1) throw invalidArgument(`${key} is given more than once`);
    const read = known.read(String(values[0]));
    if (read === undefined) throw invalidArgument(`${key} must be ${known.form}`);
    wishes[known.wish] = read;
  }
  return wishes as unknown as CallerWishes;
}
