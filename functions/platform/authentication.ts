import { readUser } from "../users/user-store.ts";
import type { Contract } from "./contract.ts";
import { SluiceError } from "./errors.ts";
import type { OperationEvent } from "./operation.ts";
import { header } from "./responses.ts";
import { verifyToken } from "./tokens.ts";

/**
 * Finds out who calls. The user record is read at every request, so disabling a user or bumping the token version works at once.
 * @throws SluiceError not_authenticated (one answer for every reason), permission_denied
 */
export async function authenticate(event: OperationEvent, contract: Contract, now: Date): Promise<void> {
  if (contract.auth === "anyone") return;
  const token = /^Bearer +(\S+)$/i.exec(header(event, "authorization") ?? "")?.[1];
  const claims = token ? await verifyToken(token, now) : null;
  const user = claims ? await readUser(claims.userId) : null;
  if (!user?.isActive || user.tokenVersion !== claims?.tokenVersion) throw new SluiceError("not_authenticated");
  if (contract.auth === "administrator" && user.role !== "admin") throw new SluiceError("permission_denied");
  event.request.caller = user;
}
