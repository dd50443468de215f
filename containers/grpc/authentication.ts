import type { PeerCertificate } from "node:tls";
import { status } from "@grpc/grpc-js";
import type { TokenScope } from "../../functions/platform/contract.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { type ApiToken, idOf, isApiTokenSecret, permits } from "../../functions/tokens/api-token.ts";
import { findApiToken, noteUse } from "../../functions/tokens/api-token-store.ts";
import { readUser } from "../../functions/users/user-store.ts";
import type { CallMetadata } from "./request-metadata.ts";
import { RpcError, retryAfter } from "./rpc-error.ts";

export type GrpcScope = Extract<TokenScope, "producer" | "learner" | "reader">;

export interface Caller {
  /** Whose quota counts: the token's id. */
  readonly id: string;
  /** Whose runs these are: a user's id. */
  readonly tenant: string;
  /** The only one of them that they may reach; null for all. */
  readonly run: string | null;
}

/**
 * Finds out who calls and whether they may.
 * @throws RpcError UNAUTHENTICATED (one answer for every reason), PERMISSION_DENIED, UNAVAILABLE when nobody can be looked up
 */
export type Authenticate = (metadata: CallMetadata, scope: GrpcScope) => Promise<Caller>;

export const withoutTokens: Authenticate = async () => ({ id: anonymousTenant, tenant: anonymousTenant, run: null });

/**
 * How long a good answer is kept. A producer sends hundreds of items a second, and each would cost two reads; who was disabled or whose token
 * was deleted is out after this time at the latest.
 */
const keptMilliseconds = 5000;
const keptMax = 10_000;

interface Kept {
  readonly token: Promise<ApiToken | null>;
  readonly until: number;
}

/**
 * Authentication by the API tokens of the REST side, with their scopes. Only a digest of the secret is looked up and compared, so the time it takes
 * says nothing about a secret; bad answers are not kept.
 */
export function byApiToken(now: () => Date = () => new Date()): Authenticate {
  const kept = new Map<string, Kept>();

  function tokenOf(secret: string, at: Date): Promise<ApiToken | null> {
    // More than half of a SHA-256: nobody finds a second secret with the same one.
    const digest = idOf(secret);
    const known = kept.get(digest);
    if (known && at.getTime() < known.until) return known.token;
    if (kept.size >= keptMax) kept.clear();
    // The promise is kept, so that a burst of calls looks up once.
    const token = liveToken(secret, at);
    kept.set(digest, { token, until: at.getTime() + keptMilliseconds });
    const forget = () => {
      if (kept.get(digest)?.token === token) kept.delete(digest);
    };
    token.then((found) => found ?? forget(), forget);
    return token;
  }

  return async (metadata, scope) => {
    const at = now();
    const secret = bearerOf(metadata);
    const token = secret && isApiTokenSecret(secret) ? await tokenOf(secret, at).catch(cannotTell) : null;
    if (!token || at.getTime() >= token.expiresAt * 1000)
      throw new RpcError(status.UNAUTHENTICATED, "an API token is needed, as 'authorization: Bearer slc_...'");
    if (!permits(token.scope, scope))
      throw new RpcError(status.PERMISSION_DENIED, `the scope of this API token does not reach; ${scope} is needed`);
    return { id: token.id, tenant: token.ownerId, run: token.run?.name ?? null };
  };
}

/** @returns the token, if it and its owner count */
async function liveToken(secret: string, at: Date): Promise<ApiToken | null> {
  const token = await findApiToken(secret, at);
  const owner = token && (await readUser(token.ownerId));
  if (!token || !owner?.isActive || owner.tokenVersion !== token.tokenVersion) return null;
  await noteUse(token, at);
  return token;
}

function cannotTell(error: unknown): never {
  throw new RpcError(status.UNAVAILABLE, "callers cannot be looked up at the moment", retryAfter(1000), error);
}

function bearerOf(metadata: CallMetadata): string | undefined {
  const [authorization, ...more] = metadata.get("authorization");
  return more.length === 0 ? /^Bearer +(\S+)$/i.exec(String(authorization))?.[1] : undefined;
}

/**
 * The name in a client certificate that our own authorities have signed: its first DNS name. A producer has this name and no other.
 * @returns undefined without a certificate, or when it names nobody in the form of a producer
 */
export function certifiedName(certificate: PeerCertificate): string | undefined {
  return /(?:^|, )DNS:([A-Za-z0-9][A-Za-z0-9._-]{0,127})(?:,|$)/.exec(certificate.subjectaltname ?? "")?.[1];
}
