import { createHmac, hash } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyResult } from "aws-lambda";
import { environment } from "./environment.ts";
import { SluiceError } from "./errors.ts";
import type { OperationEvent } from "./operation.ts";
import { header } from "./responses.ts";
import { keys, table } from "./table.ts";

/** A client that retries later than this starts anew. */
const keepSeconds = 24 * 3600;
/** Longer than any operation runs: a claim that is older was left behind by a crash and may be taken over. */
const claimSeconds = 60;
/** An item of the table ends at 400 KB. A longer answer is not kept; that the work is done is, which is what matters. */
const answerBytesMax = 350_000;

/**
 * Runs `run` at most once per caller, operation and Idempotency-Key, and repeats its answer for 24 hours. Without the header it just runs.
 * A refusal is not kept: the same key may try again.
 * @throws SluiceError idempotency_key_reused when the key came with another body, idempotency_answer_not_kept, request_in_progress
 */
export async function idempotently(
  operation: string,
  event: OperationEvent,
  now: Date,
  run: () => Promise<APIGatewayProxyResult>,
) {
  const given = header(event, "idempotency-key");
  if (!given) return run();
  if (!/^[\x21-\x7e]{1,200}$/.test(given)) throw new SluiceError("idempotency_key_malformed");
  const key = keys.idempotency((event.request.caller as { id: string }).id, operation, hash("sha256", given));
  // Keyed with what only the client knows: a body may hold a password, and a plain hash would let it be guessed from the table.
  const fingerprint = createHmac("sha256", given)
    .update(JSON.stringify([event.path, event.multiValueQueryStringParameters, event.body]))
    .digest("hex");
  const earlier = await claim(key, fingerprint, now);
  if (earlier) return earlier;
  try {
    const answer = await run();
    const kept = Buffer.byteLength(answer.body) > answerBytesMax ? { notKept: true } : { answer };
    const item = { ...key, v: 1, fingerprint, ...kept, expiresAt: seconds(now) + keepSeconds };
    await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item: item }));
    return answer;
  } catch (error) {
    await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: key }));
    throw error;
  }
}

/** Takes the key for this run, or gives the answer that an earlier run left. */
async function claim(
  key: { pk: string; sk: string },
  fingerprint: string,
  now: Date,
): Promise<APIGatewayProxyResult | null> {
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: {
      ...key,
      v: 1,
      fingerprint,
      claimedUntil: seconds(now) + claimSeconds,
      expiresAt: seconds(now) + keepSeconds,
    },
    ConditionExpression:
      "attribute_not_exists(pk) OR expiresAt < :now OR (attribute_not_exists(answer) AND claimedUntil < :now)",
    ExpressionAttributeValues: { ":now": seconds(now) },
  });
  try {
    await table.send(put);
    return null;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
  const { Item } = await table.send(
    new GetCommand({ TableName: environment().TABLE_NAME, Key: key, ConsistentRead: true }),
  );
  if (Item && Item.fingerprint !== fingerprint) throw new SluiceError("idempotency_key_reused");
  if (Item?.notKept) throw new SluiceError("idempotency_answer_not_kept");
  if (!Item?.answer) throw new SluiceError("request_in_progress");
  return Item.answer as APIGatewayProxyResult;
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
