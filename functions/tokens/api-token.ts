import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import * as z from "zod";
import { type TokenScope, tokenScopes } from "../platform/contract.ts";

export const ApiTokenScope = z.enum(tokenScopes);

/** A user's key for programs. What the user may not do, no token of theirs may. */
export const ApiToken = z.object({
  id: z.uuid(),
  ownerId: z.uuid(),
  name: z.string(),
  scope: ApiTokenScope,
  /** The one run of the gRPC services that the token is for; null when it is for all of its owner's. */
  run: z.object({ id: z.uuid(), name: z.string() }).nullable().default(null),
  /** SHA-256 of the secret, hex. */
  hash: z.string(),
  /** The owner's counter when the token was made: disabling, a new password or role end tokens as they end sessions, for good. */
  tokenVersion: z.number().int(),
  createdAt: z.iso.datetime(),
  /** Seconds since 1970, as DynamoDB wants it; the item goes some time after. */
  expiresAt: z.number().int(),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const ApiTokenView = z.object({
  id: z.string(),
  name: z.string(),
  scope: ApiTokenScope,
  run: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  /** To the hour. */
  last_used_at: z.string().nullable(),
});

export const apiTokenView = (token: ApiToken, lastUsedAt: string | null): z.input<typeof ApiTokenView> => ({
  id: token.id,
  name: token.name,
  scope: token.scope,
  run: token.run?.name ?? null,
  created_at: token.createdAt,
  expires_at: new Date(token.expiresAt * 1000).toISOString(),
  last_used_at: lastUsedAt,
});

export const lifeDaysMax = 365;
/** A user who needs more names them wrongly; listing and deleting stay cheap. */
export const tokensPerUserMax = 50;

export interface TokenDraft {
  readonly name: string;
  readonly scope: TokenScope;
  /** @default null */
  readonly run?: ApiToken["run"];
  readonly expiresInDays: number;
}

/** Makes the record of a token; its secret is not in it. */
export const newApiToken = (
  draft: TokenDraft,
  secret: string,
  owner: { readonly id: string; readonly tokenVersion: number },
  at: Date,
): ApiToken => ({
  id: idOf(secret),
  ownerId: owner.id,
  name: draft.name,
  scope: draft.scope,
  run: draft.run ?? null,
  hash: hashOf(secret),
  tokenVersion: owner.tokenVersion,
  createdAt: at.toISOString(),
  expiresAt: Math.floor(at.getTime() / 1000) + draft.expiresInDays * 24 * 3600,
});

/** True when `secret` is the one that the record was made for, at a time before it expires. */
export const isLive = (token: ApiToken, secret: string, at: Date): boolean =>
  timingSafeEqual(Buffer.from(token.hash), Buffer.from(hashOf(secret))) && at.getTime() < token.expiresAt * 1000;

/** What each scope is good for besides itself. A learner trains on what was sent, so it may read it. */
const included: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  read: [],
  scan: ["read"],
  all: tokenScopes,
  producer: [],
  learner: ["reader"],
  reader: [],
};

/** True when a token of the scope `given` may do what needs the scope `needed`. */
export const permits = (given: TokenScope, needed: TokenScope): boolean =>
  given === needed || included[given].includes(needed);

const prefix = "slc_";
const secretBytes = 32;
/** For scanners of leaked secrets, and to refuse rubbish without a read. The checksum's four bytes leave four characters for the end. */
const form = /^slc_[A-Za-z0-9_-]{48}[AQgw]$/;

/** A new secret: the prefix, 256 random bits and a CRC-32 of both, base64url. */
export function newSecret(): string {
  const body = `${prefix}${randomBytes(secretBytes).toString("base64url")}`;
  return `${body}${checksumOf(body)}`;
}

/** True for what `newSecret` could have made. It says nothing about whether we did. */
export const isApiTokenSecret = (text: string): boolean =>
  form.test(text) && text.slice(-6) === checksumOf(text.slice(0, -6));

function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString("base64url");
}

/** Fast on purpose: 256 random bits cannot be tried out, so a slow hash as for passwords would only slow every request down. */
const hashOf = (secret: string): string => hash("sha256", secret);

/**
 * The id is the first half of the hash as a UUID (version 8 of RFC 9562 leaves its bits to us), so that a token is found by its
 * secret with one consistent read and without an index of secrets. It tells as little about the secret as the hash does.
 */
export function idOf(secret: string): string {
  const bytes = Buffer.from(hashOf(secret).slice(0, 32), "hex");
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
