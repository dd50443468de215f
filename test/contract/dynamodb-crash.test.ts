import { fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import type { Json } from "../../lib/local/service.ts";
import { type Instruction, itemsPerTransaction, stoppingRound } from "../support/crashing-table.ts";
import { tableName as TableName, tableInput } from "../support/embedded-table.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sluice-crash-"));
});
afterAll(() => rm(root, { recursive: true }));

async function newFolder(name: string): Promise<string> {
  const folder = join(root, name);
  const db = new DynamoDb({ folder });
  await db.open();
  await db.ensureTable(tableInput);
  await db.close();
  return folder;
}

/** Runs the program until it stops where it was told, or has answered so many transactions, and kills it there. */
async function crash(instruction: Instruction, answersMax: number): Promise<number> {
  const child = fork(join(import.meta.dirname, "../support/crashing-table.ts"), { execPath: process.execPath });
  const exited = once(child, "exit");
  let answered = 0;
  child.on("message", (message: { answered?: number; stopped?: true }) => {
    answered = message.answered ?? answered;
    if (message.stopped || answered >= answersMax) child.kill("SIGKILL");
  });
  child.send(instruction);
  expect(await exited).toEqual([null, "SIGKILL"]);
  return answered;
}

/** The number of the last transaction that is there, after checking that every trace of it is. */
async function survivingRound(folder: string): Promise<number> {
  const db = new DynamoDb({ folder });
  await db.open();
  const { Items: items } = (await db.call("Scan", { TableName })) as { Items: Json[] };
  const { Items: indexed } = (await db.call("Query", {
    TableName,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :all",
    ExpressionAttributeValues: { ":all": { S: "all" } },
  })) as { Items: Json[] };
  await db.close();
  const round = Number(items[0]?.round.N ?? 0);
  expect(items).toHaveLength(round === 0 ? 0 : itemsPerTransaction);
  for (const item of items) expect([item.round.N, item.hits.N]).toEqual([String(round), String(round)]);
  expect(indexed.toSorted(byKey)).toEqual(items.toSorted(byKey));
  return round;
}

const byKey = (a: Json, b: Json) => (a.pk.S < b.pk.S ? -1 : 1);

describe("kill -9", () => {
  it.each([
    ["beforeCommit", [stoppingRound - 1]],
    ["duringCommit", [stoppingRound - 1, stoppingRound]],
    ["afterCommit", [stoppingRound]],
  ] as const)("%s of a transaction leaves all of it or nothing", async (stopAt, rounds) => {
    const folder = await newFolder(stopAt);
    expect(await crash({ folder, stopAt }, Number.POSITIVE_INFINITY)).toBe(stoppingRound - 1);
    expect(rounds).toContain(await survivingRound(folder));
  });

  it("loses nothing that was answered, whenever it comes, again and again", async () => {
    const folder = await newFolder("any-time");
    // A token that was used before a crash still counts after it, so every run begins with rounds that are repeats.
    for (const answers of [1, 7, 23, 60]) {
      const answered = await crash({ folder, stopAt: "never" }, answers);
      expect(await survivingRound(folder)).toBeGreaterThanOrEqual(answered);
    }
  });
});

describe("a write torn at any byte", () => {
  it("is there as a whole or not at all", async () => {
    const folder = await newFolder("torn");
    const sizes = [await logSize(folder)];
    const db = new DynamoDb({ folder });
    await db.open();
    for (const round of [1, 2]) {
      await db.call("TransactWriteItems", {
        TransactItems: Array.from({ length: itemsPerTransaction }, (_, n) => ({
          Put: {
            TableName,
            Item: {
              pk: { S: `item-${n}` },
              sk: { S: "T" },
              gsi1pk: { S: "all" },
              gsi1sk: { S: "s" },
              round: { N: String(round) },
              hits: { N: String(round) },
              filler: { S: "x".repeat(5000) },
            },
          },
        })),
      });
      sizes.push(await logSize(folder));
    }
    const [, first, second] = sizes as [number, number, number];
    const copy = join(root, "copy");
    // Ends of LevelDB's 32 KB blocks are where a record is cut into fragments.
    const blocks = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [-7, -1, 0, 1, 7].map((near) => n * 32_768 + near));
    const steps = Array.from({ length: 30 }, (_, n) => first + Math.round(((second - first) * n) / 30));
    const cuts = [...blocks, ...steps, second - 1].filter((cut) => cut >= first && cut < second);
    expect(cuts.length).toBeGreaterThan(40);
    for (const cut of [...cuts, second]) {
      await cp(folder, copy, { recursive: true });
      await truncate(join(copy, await logName(copy)), cut);
      expect(await survivingRound(copy)).toBe(cut < second ? 1 : 2);
      await rm(copy, { recursive: true });
    }
    await db.close();
  });
});

async function logName(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".log")).sort();
  return names.at(-1)!;
}

const logSize = async (folder: string) => (await readFile(join(folder, await logName(folder)))).length;
