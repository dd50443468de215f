import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import * as z from "zod";
import { applicationKey } from "./application-key.ts";
import { SluiceError } from "./errors.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Longer than anybody looks at a page, shorter than anybody keeps a link. */
const lifeSeconds = 3600;

/** What a cursor belongs to. It opens only for the same caller asking the same question. */
export interface CursorScope {
  readonly operation: string;
  readonly callerId: string;
  readonly filters: Readonly<Record<string, string | number | null>>;
}

const Sealed = z.object({ position: z.string(), expiresAt: z.int() });

/** Query parameter of a list that goes on with a cursor. */
export const Cursor = z.string().min(1).max(1024);

/**
 * Packs the place where a list goes on, for the client to send back. Encrypted, because the place is a key of ours and tells things that
 * the list may not show, and bound to its scope, because a key that a client can choose reads what the client chooses.
 */
export async function sealCursor(scope: CursorScope, position: string, now: Date): Promise<string> {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, await applicationKey("cursor"), nonce).setAAD(boundTo(scope));
  const sealed = { position, expiresAt: seconds(now) + lifeSeconds };
  const text = Buffer.concat([cipher.update(JSON.stringify(sealed)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
}

/**
 * The place that `sealCursor` packed.
 * @throws SluiceError cursor_invalid when it is not ours, was changed, is older than an hour or belongs to another scope
 */
export async function openCursor(scope: CursorScope, cursor: string, now: Date): Promise<string> {
  const { position, expiresAt } = decrypt(await applicationKey("cursor"), boundTo(scope), cursor);
  if (expiresAt < seconds(now)) throw new SluiceError("cursor_invalid");
  return position;
}

function decrypt(key: Buffer, bound: Buffer, cursor: string): z.output<typeof Sealed> {
  const bytes = Buffer.from(cursor, "base64url");
  // Without this, a shortened tag would be accepted and guessed byte by byte.
  if (bytes.length <= nonceBytes + tagBytes) throw new SluiceError("cursor_invalid");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
  try {
    return Sealed.parse(JSON.parse(Buffer.concat([text, decipher.final()]).toString("utf8")));
  } catch (error) {
    throw new SluiceError("cursor_invalid", {}, error);
  }
}

/** Sorted, so that the order in which filters were written down does not matter. */
const boundTo = ({ operation, callerId, filters }: CursorScope): Buffer =>
  Buffer.from(JSON.stringify([operation, callerId, Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1))]));

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
