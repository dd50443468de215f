import { type ApiToken, isApiTokenSecret, permits } from "../tokens/api-token.ts";
import { findApiToken, noteUse } from "../tokens/api-token-store.ts";
import { readUser } from "../users/user-store.ts";
import { type Contract, scopeOf } from "./contract.ts";
import { SluiceError } from "./errors.ts";
import type { OperationEvent } from "./operation.ts";
import { header } from "./responses.ts";
import { type TokenClaims, verifyToken } from "./tokens.ts";

/**
 * Finds out who calls, by an access token of login or by an API token. The user record is read at every request, so disabling a user or
 * bumping the token version works at once, for both.
 * @throws SluiceError not_authenticated (one answer for every reason), token_scope_insufficient,
 * token_run_insufficient, permission_denied
 */
export async function authenticate(event: OperationEvent, contract: Contract, now: Date): Promise<void> {
  if (contract.auth === "anyone") return;
  const bearer = /^Bearer +(\S+)$/i.exec(header(event, "authorization") ?? "")?.[1] ?? "";
  const apiToken = isApiTokenSecret(bearer) ? await findApiToken(bearer, now) : null;
  const claims = apiToken ? claimsOf(apiToken) : await verifyToken(bearer, now);
  const user = claims ? await readUser(claims.userId) : null;
  if (!user?.isActive || user.tokenVersion !== claims?.tokenVersion) throw new SluiceError("not_authenticated");
  event.request.caller = user;
  if (apiToken) {
    event.request.tokenId = apiToken.id;
    await noteUse(apiToken, now);
    const scope = scopeOf(contract);
    if (!permits(apiToken.scope, scope)) throw new SluiceError("token_scope_insufficient", { scope });
    requireItsRun(apiToken, event);
  }
  if (contract.auth === "administrator" && user.role !== "admin") throw new SluiceError("permission_denied");
}

/** Holds a token for one run to the operations on that run; whether another one exists is not said. */
function requireItsRun({ run }: ApiToken, event: OperationEvent): void {
  if (run === null || event.pathParameters?.id === run.id) return;
  throw new SluiceError("token_run_insufficient", { run: run.name });
}

const claimsOf = ({ ownerId, tokenVersion }: ApiToken): TokenClaims => ({ userId: ownerId, tokenVersion });
