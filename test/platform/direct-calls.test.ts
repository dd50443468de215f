import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DirectCall, DirectCalls } from "../../functions/platform/direct-calls.ts";
import { environment } from "../../functions/platform/environment.ts";
import { table } from "../../functions/platform/table.ts";
import { transactDirectly } from "../../functions/platform/transact-directly.ts";
import type { Fault } from "../../lib/local/gateway.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

const error = new AwsError("InternalServerError", "We encountered an internal error. Please try again.", 500);
const faults: Fault[] = [
  { when: "before", error },
  { when: "before", error: "cut" },
  { when: "after", error: "cut" },
];
/** Makes the next call fail, and only that. */
function failOnce(fault: Fault): void {
  data.gateway.planFault = () => {
    data.gateway.planFault = () => undefined;
    return fault;
  };
}

describe("a put that goes the short way", () => {
  const put = (key: string, pieces: readonly Buffer[]): DirectCall => {
    const whole = Buffer.concat(pieces);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(whole));
    return {
      method: "PUT",
      path: `/${key}`,
      headers: {
        "content-type": "text/plain",
        "if-none-match": "*",
        "x-amz-checksum-crc32": checksum.toString("base64"),
        "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
      },
      contentSha256: "UNSIGNED-PAYLOAD",
      body: pieces,
      bytes: whole.length,
    };
  };
  const pieces = [Buffer.alloc(300_000, "a"), Buffer.from("b"), Buffer.alloc(70_000, "c")];

  /** A client of its own, and what it was shown of the way. */
  async function shown() {
    const client = new S3Client({ maxAttempts: 1 });
    const Bucket = environment().RESULTS_BUCKET;
    const direct = new DirectCalls<{ Bucket?: string; Key?: string }>(client, ({ Bucket, Key }) =>
      Bucket && Key ? { place: Bucket, path: `/${Key}` } : null,
    );
    const send = (call: DirectCall) => direct.send(Bucket, call);
    const isKnownBefore = await send(put("too-early", pieces));
    await client.send(new PutObjectCommand({ Bucket, Key: "first/of the SDK's", Body: "x" }));
    const isKnownByOddKey = await send(put("too-early", pieces));
    await client.send(new PutObjectCommand({ Bucket, Key: "first", Body: "x" }));
    return { client, Bucket, send, isKnownBefore, isKnownByOddKey };
  }

  it("is refused until the SDK has shown it, and stores what was sent", async () => {
    const { client, Bucket, send, isKnownBefore, isKnownByOddKey } = await shown();
    expect([isKnownBefore, isKnownByOddKey]).toEqual([false, false]);
    const Key = randomUUID();
    expect(await send(put(Key, pieces))).toBe(true);
    const stored = await client.send(new GetObjectCommand({ Bucket, Key }));
    expect(stored.ContentType).toBe("text/plain");
    expect(Buffer.from(await stored.Body!.transformToByteArray()).equals(Buffer.concat(pieces))).toBe(true);
  });

  it("does not succeed for what is there, is damaged, or was signed by nobody", async () => {
    const { client, send } = await shown();
    const key = randomUUID();
    expect(await send(put(key, pieces))).toBe(true);
    expect(await send(put(key, pieces))).toBe(false);
    const damaged = put(randomUUID(), [Buffer.from("whole")]);
    expect(await send({ ...damaged, body: [Buffer.from("whale")] })).toBe(false);
    client.config.credentials = async () => ({ accessKeyId: "nobody", secretAccessKey: "nothing" });
    expect(await send(put(randomUUID(), pieces))).toBe(false);
  });

  it.each(faults)("does not succeed without the answer that it did, and the next one does: %o", async (fault) => {
    const { send } = await shown();
    failOnce(fault);
    expect(await send(put(randomUUID(), pieces))).toBe(false);
    expect(await send(put(randomUUID(), pieces))).toBe(true);
  });
});

describe("a transaction that goes the short way", () => {
  const write = (pk: string) => {
    const TableName = environment().TABLE_NAME;
    const item = { text: "ä", list: [1, -2.5, null, { deep: true }], bytes: Buffer.from([0, 255]), left: undefined };
    return {
      ClientRequestToken: randomUUID(),
      TransactItems: [
        { Put: { TableName, Item: { pk, sk: "1", ...item }, ConditionExpression: "attribute_not_exists(pk)" } },
        {
          Update: {
            TableName,
            Key: { pk, sk: "2" },
            UpdateExpression: "ADD #count :one",
            ExpressionAttributeNames: { "#count": "count" },
            ExpressionAttributeValues: { ":one": 1 },
          },
        },
      ],
    };
  };
  const read = async (pk: string, sk: string) =>
    (await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key: { pk, sk } }))).Item;

  it("writes what the SDK would, so that the SDK's repeat counts as one", async () => {
    const pk = randomUUID();
    await read(pk, "1");
    const sent = write(pk);
    expect(await transactDirectly(sent)).toBe(true);
    await table.send(new TransactWriteCommand(sent));
    expect(await read(pk, "1")).toEqual({
      pk,
      sk: "1",
      text: "ä",
      list: [1, -2.5, null, { deep: true }],
      bytes: new Uint8Array([0, 255]),
    });
    expect(await read(pk, "2")).toMatchObject({ count: 1 });
  });

  it("does not succeed when a condition fails", async () => {
    const pk = randomUUID();
    await read(pk, "1");
    expect(await transactDirectly(write(pk))).toBe(true);
    expect(await transactDirectly(write(pk))).toBe(false);
    expect(await read(pk, "2")).toMatchObject({ count: 1 });
  });

  it.each(faults)("is done once when the SDK repeats it after %o", async (fault) => {
    const pk = randomUUID();
    await read(pk, "1");
    const sent = write(pk);
    failOnce(fault);
    expect(await transactDirectly(sent)).toBe(false);
    await table.send(new TransactWriteCommand(sent));
    expect(await read(pk, "2")).toMatchObject({ count: 1 });
  });

  it("refuses values that it does not know rather than write others", async () => {
    const sent = write(randomUUID());
    const [put] = sent.TransactItems;
    for (const odd of [Number.NaN, 2 ** 60, new Set(["a"]), new Date(), () => 1])
      await expect(
        transactDirectly({ ...sent, TransactItems: [{ Put: { ...put!.Put!, Item: { odd } } }] }),
      ).rejects.toThrow(TypeError);
  });
});
