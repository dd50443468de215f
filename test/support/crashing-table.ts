import { ClassicLevel } from "classic-level";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import { tableName as TableName } from "./embedded-table.ts";

/**
 * A program that a test forks and kills. It writes transactions of ten items, numbered from 1, and tells the parent about
 * each one that was answered. When it is told a moment, it stops for good at that moment of transaction 20, so that the
 * parent's SIGKILL finds it exactly there.
 */
export interface Instruction {
  readonly folder: string;
  readonly stopAt: "beforeCommit" | "duringCommit" | "afterCommit" | "never";
}

export const itemsPerTransaction = 10;
export const stoppingRound = 20;

if (import.meta.main) process.once("message", (instruction: Instruction) => void run(instruction));

async function run({ folder, stopAt }: Instruction): Promise<void> {
  const db = new DynamoDb({ folder });
  await db.open();
  for (let round = 1; ; round++) {
    if (round === stoppingRound && stopAt !== "never") stopInCommit(stopAt);
    await db.call("TransactWriteItems", transactionOf(round));
    process.send!({ answered: round });
  }
}

function transactionOf(round: number): object {
  const TransactItems = Array.from({ length: itemsPerTransaction }, (_, n) => ({
    Update: {
      TableName,
      Key: { pk: { S: `item-${n}` }, sk: { S: "T" } },
      UpdateExpression: "SET round = :round, gsi1pk = :all, gsi1sk = :text, filler = :filler ADD hits :one",
      ExpressionAttributeValues: {
        ":round": { N: String(round) },
        ":all": { S: "all" },
        ":text": { S: String(round).padStart(6, "0") },
        ":filler": { S: "x".repeat(5000) },
        ":one": { N: "1" },
      },
    },
  }));
  return { TransactItems, ClientRequestToken: `round-${round}` };
}

/** The moment is inside the storage, so it is the storage's own call that is held. */
function stopInCommit(stopAt: Exclude<Instruction["stopAt"], "never">): void {
  const prototype = ClassicLevel.prototype as unknown as { batch(...input: unknown[]): Promise<void> };
  const { batch } = prototype;
  prototype.batch = async function stopped(...input) {
    if (stopAt === "duringCommit") {
      // LevelDB writes on another thread; this process dies at some point of that.
      void batch.apply(this, input);
      process.kill(process.pid, "SIGKILL");
    }
    if (stopAt === "afterCommit") await batch.apply(this, input);
    process.send!({ stopped: true });
    await new Promise(() => {});
  };
}
