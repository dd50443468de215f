import { createHmac } from "node:crypto";
import type { APIGatewayProxyResult } from "aws-lambda";
import { type AuditEntry, targetsOf } from "../audit-log/audit-entry.ts";
import { appendEntry } from "../audit-log/audit-entry-store.ts";
import { normaliseEmail } from "../users/user.ts";
import { applicationKey } from "./application-key.ts";
import type { Contract } from "./contract.ts";
import { isSluiceError } from "./errors.ts";
import { errorFields, log } from "./log.ts";
import type { OperationEvent } from "./operation.ts";
import { header } from "./responses.ts";

const userAgentMax = 200;
/** Answers to writes are small; reading ids out of a larger one is not worth the time. */
const answerBytesMax = 64 * 1024;

/**
 * Runs a write and puts it on record before its answer leaves, so that whoever has an answer finds the entry. Reading is not recorded, and
 * neither is a refused write, which changed nothing; a refused attempt to sign in is.
 */
export async function audited(
  operation: string,
  event: OperationEvent,
  contract: Contract,
  run: () => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  if (contract.method === "GET") return run();
  try {
    const answer = await run();
    await record(operation, event, contract, "done", answer);
    return answer;
  } catch (error) {
    const { failures = [] } = contract.attempt ?? {};
    if (isSluiceError(error) && failures.includes(error.code)) await record(operation, event, contract, error.code);
    throw error;
  }
}

/**
 * Never fails: the write has happened and cannot be taken back, and an answer that says otherwise would make the caller do it again. When
 * the entry cannot be stored, the function's log has it at level error.
 */
async function record(
  operation: string,
  event: OperationEvent,
  contract: Contract,
  outcome: string,
  answer?: APIGatewayProxyResult,
): Promise<void> {
  const { requestId, sourceAddress, caller, identified, tokenId, params, query, body } = event.request;
  const userId = caller?.id ?? identified ?? null;
  const targets = targetsOf(params, query, body, answer && contentOf(answer));
  try {
    const entry: AuditEntry = {
      id: requestId,
      // The arrival and not our clock: it is the same if the function is run a second time for the request.
      createdAt: new Date(event.requestContext.requestTimeEpoch).toISOString(),
      operation,
      userId,
      tokenId: tokenId ?? null,
      emailHash: contract.attempt
        ? await pseudonym((body as Record<string, string>)[contract.attempt.emailField])
        : null,
      targets,
      sourceIp: sourceAddress,
      userAgent: printable((header(event, "user-agent") ?? "").slice(0, userAgentMax)),
      outcome,
    };
    await appendEntry(entry);
  } catch (error) {
    const fields = { operation, requestId, user: userId ?? undefined, code: outcome, targets };
    log("error", "audit entry not stored", { ...fields, ...errorFields(error) });
  }
}

function contentOf(answer: APIGatewayProxyResult): unknown {
  if (!answer.body || answer.isBase64Encoded || answer.body.length > answerBytesMax) return undefined;
  return JSON.parse(answer.body);
}

/** Tells attempts on one address from those on another. Keyed, so that a leaked log cannot be searched for known addresses. */
async function pseudonym(email: string | undefined): Promise<string> {
  const key = await applicationKey("audit-email");
  return createHmac("sha256", key)
    .update(normaliseEmail(email ?? ""))
    .digest("hex")
    .slice(0, 16);
}

/** Control characters, line and paragraph separators and changes of direction would let a client paint over the log of who reads it. */
const printable = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
