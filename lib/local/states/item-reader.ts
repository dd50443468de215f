import type { S3Client } from "@aws-sdk/client-s3";
import { type Json, localAccount } from "../service.ts";
import type { MapState } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { StateFailure } from "./failure.ts";
import type { Item } from "./items.ts";
import { jsonArray, jsonLines } from "./json-stream.ts";
import type { Run } from "./run.ts";

export type ItemReader = NonNullable<MapState["ItemReader"]>;

/**
 * The items of a Distributed Map that an ItemReader reads from S3 with the machine's role, one at a time.
 * @throws StateFailure States.ItemReaderFailed
 */
export async function* readItems(
  run: Run,
  reader: ItemReader,
  parameters: Json,
  itemsMax: number,
): AsyncGenerator<Item> {
  const s3 = await s3Of(run);
  try {
    const items = reader.Resource.endsWith(":getObject")
      ? objectItems(s3, parameters, reader.ReaderConfig?.InputType ?? "JSON")
      : listItems(s3, parameters);
    let read = 0;
    for await (const item of items) {
      yield item;
      read += 1;
      if (read === itemsMax) return;
    }
  } catch (error) {
    throw new StateFailure("States.ItemReaderFailed", `The items could not be read: ${wordsOf(error)}`);
  } finally {
    s3.destroy();
  }
}

/** A client with the credentials of the machine's role. Loaded when first needed: the SDK weighs tens of megabytes. */
export async function s3Of({
  engine,
  caller,
}: Pick<Run, "caller"> & { engine: Pick<Engine, "endpoint"> }): Promise<S3Client> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  return new S3Client({
    endpoint: engine.endpoint(),
    region: localAccount.region,
    credentials: caller,
    forcePathStyle: true,
  });
}

export const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

async function* objectItems(s3: S3Client, parameters: Json, type: "JSON" | "JSONL"): AsyncGenerator<Item> {
  const { GetObjectCommand } = await import("@aws-sdk/client-s3");
  const { Body } = await s3.send(new GetObjectCommand(parameters));
  const source = `s3://${parameters.Bucket}/${parameters.Key}`;
  const bytes = Body as AsyncIterable<Uint8Array>;
  for await (const value of type === "JSON" ? jsonArray(bytes) : jsonLines(bytes)) yield { value, source };
}

async function* listItems(s3: S3Client, parameters: Json): AsyncGenerator<Item> {
  const { paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
  const source = `s3://${parameters.Bucket}/${parameters.Prefix ?? ""}`;
  for await (const page of paginateListObjectsV2({ client: s3 }, parameters)) {
    for (const { ETag, Key, LastModified, Size, StorageClass } of page.Contents ?? []) {
      const seconds = LastModified && Math.floor(LastModified.getTime() / 1000);
      yield { value: { Etag: ETag, Key, LastModified: seconds, Size, StorageClass }, source };
    }
  }
}
