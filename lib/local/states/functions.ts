import { createHash } from "node:crypto";
import type { Json } from "../service.ts";

// The functions that Step Functions adds to JSONata:
// https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html

/** Elements or characters; no payload could hold more of what these make. */
export const lengthMax = 200_000;

/** $partition: the array in chunks, the last one perhaps shorter. */
export function partition(items: Json[], size: number): Json[][] {
  if (!(Number.isInteger(size) && size > 0)) throw new Error("$partition needs a positive whole chunk size.");
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** $range: numbers from the first to the last, both included. */
export function range(first: number, last: number, step = 1): number[] {
  if (step === 0) throw new Error("$range needs a step other than 0.");
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (length > lengthMax) throw new Error(`$range makes at most ${lengthMax} numbers.`);
  return Array.from({ length }, (_, index) => first + index * step);
}

/** $hash: hexadecimal. */
export function hash(data: unknown, algorithm = "SHA-256"): string {
  const names: Record<string, string> = {
    MD5: "md5",
    "SHA-1": "sha1",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
  };
  const name = names[algorithm];
  if (!name) throw new Error(`$hash knows ${Object.keys(names).join(", ")}, not ${algorithm}.`);
  return createHash(name)
    .update(typeof data === "string" ? data : JSON.stringify(data))
    .digest("hex");
}

/** $random with a seed: the same number for the same seed, on every machine; which number that is, AWS does not say. */
export function seeded(seed: number): number {
  return createHash("sha256").update(String(seed)).digest().readUInt32BE(0) / 2 ** 32;
}

/** $pad: jsonata's own builds an array of the missing length first: a gigabyte in one native call that no watchdog stops. */
export function pad(text: string, width: number, filler = " "): string {
  const length = Math.min(Math.abs(width), lengthMax);
  return width < 0 ? text.padStart(length, filler) : text.padEnd(length, filler);
}
