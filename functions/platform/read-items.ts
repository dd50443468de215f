import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "./environment.ts";
import { table } from "./table.ts";

/** BatchGetItem takes no more keys. */
const batchMax = 100;
/** DynamoDB leaves keys out when it is busy or an answer passes 16 MB; so many rounds in a row without a single item are an outage. */
const emptyRoundsMax = 8;

/** The items of these keys as they are now, in any order, without those that do not exist. Each key may stand there once. */
export async function readItems(
  keys: readonly { readonly pk: string; readonly sk: string }[],
): Promise<Record<string, unknown>[]> {
  const { TABLE_NAME } = environment();
  const items: Record<string, unknown>[] = [];
  let waiting: Record<string, unknown>[] = [...keys];
  for (let emptyRounds = 0; waiting.length > 0; ) {
    const asked = { Keys: waiting.slice(0, batchMax), ConsistentRead: true };
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetCommand({ RequestItems: { [TABLE_NAME]: asked } }),
    );
    const left = UnprocessedKeys?.[TABLE_NAME]?.Keys ?? [];
    items.push(...(Responses?.[TABLE_NAME] ?? []));
    waiting = [...left, ...waiting.slice(batchMax)];
    emptyRounds = left.length < asked.Keys.length ? 0 : emptyRounds + 1;
    if (emptyRounds === emptyRoundsMax)
      throw new Error(`DynamoDB left ${left.length} keys unread ${emptyRounds} times`);
    if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 25 * 2 ** emptyRounds));
  }
  return items;
}
