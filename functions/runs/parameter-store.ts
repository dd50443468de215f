import { randomUUID } from "node:crypto";
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { DeleteCommand, GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { environment } from "../platform/environment.ts";
import { deletePrefix, getObject, putObject, s3 } from "../platform/object-store.ts";
import { failedConditions, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import { crc32c } from "./crc32c.ts";
import { outdated, Parameters } from "./parameters.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";

/** Pushes that meet take turns; each turn one of them gets through, so that this many are never in the way of one. */
const triesMax = 50;
/** Versions looked at after each push. More than one, so that a pile melts. */
const sweptAtOnce = 10;
/** To begin a download with. */
const linkSeconds = 300;

/**
 * Stores parameters as the next version, which is the newest from then on. Of several pushes at once each becomes a version.
 * A push whose answer was lost and that is sent again becomes another version with the same bytes, which does no harm.
 * @throws RunError run_not_found, run_closed
 */
export async function pushParameters(runId: string, payload: Buffer, now: Date): Promise<Parameters> {
  const objectKey = `runs/${runId}/parameters/${randomUUID()}`;
  await putObject(environment().RESULTS_BUCKET, objectKey, payload);
  const unnumbered = { objectKey, bytes: payload.length, crc32c: crc32c(payload), createdAt: now.toISOString() };
  for (let attempt = 1; ; attempt++) {
    const run = await requireRun(runId);
    if (run.status === "closed") {
      await deletePrefix(environment().RESULTS_BUCKET, objectKey);
      throw new RunError("run_closed", `The run ${run.name} is closed.`);
    }
    const parameters = { ...unnumbered, version: run.parameterVersion + 1 };
    try {
      await sendUntilNoConflict(becomingNewest(runId, parameters));
      await sweep(runId, now);
      return parameters;
    } catch (error) {
      if (!failedConditions(error) || attempt === triesMax) throw error;
      const stored = await findParameters(runId, parameters.version);
      if (stored?.objectKey === objectKey) return parameters; // an earlier try of ours whose answer was lost
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * Math.min(attempt, 10)));
    }
  }
}

/** Writes a small object of no meaning: whoever could not write parameters finds out whether it works again. @throws errors of S3 */
export async function probeParameterWrites(runId: string): Promise<void> {
  await putObject(environment().RESULTS_BUCKET, `runs/${runId}/parameters/probe`, "probe");
}

function becomingNewest(runId: string, parameters: Parameters): TransactWriteCommand {
  const TableName = environment().TABLE_NAME;
  return new TransactWriteCommand({
    ClientRequestToken: randomUUID(),
    TransactItems: [
      {
        Update: {
          TableName,
          Key: keys.run(runId),
          UpdateExpression: "SET parameterVersion = :version",
          ConditionExpression: "parameterVersion = :before AND #status = :open",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: {
            ":version": parameters.version,
            ":before": parameters.version - 1,
            ":open": "open",
          },
        },
      },
      {
        Put: {
          TableName,
          Item: { ...keys.runParameters(runId, parameters.version), v: 1, ...parameters },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
    ],
  });
}

/** The newest parameters, without their bytes. @returns null before the first @throws RunError run_not_found */
export async function latestParameters(runId: string): Promise<Parameters | null> {
  const { parameterVersion } = await requireRun(runId);
  return parameterVersion === 0 ? null : findParameters(runId, parameterVersion);
}

/** One version. @returns null when there is none, or none any more */
export async function findParameters(runId: string, version: number): Promise<Parameters | null> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment().TABLE_NAME,
      Key: keys.runParameters(runId, version),
      ConsistentRead: true,
    }),
  );
  return Item ? Parameters.parse(Item) : null;
}

/** The bytes of a version. @returns null when they are gone @throws RunError data_loss */
export async function readParameters({ objectKey, crc32c: crc, version }: Parameters): Promise<Buffer | null> {
  const bytes = await getObject({ bucket: environment().RESULTS_BUCKET, key: objectKey });
  if (bytes && crc32c(bytes) !== crc)
    throw new RunError("data_loss", `Parameters ${version} are damaged.`, { version });
  return bytes;
}

/** The ETag that S3 has for the bytes of a version. */
export async function storedEtag({ objectKey }: Parameters): Promise<string> {
  const { ETag } = await s3.send(new HeadObjectCommand({ Bucket: environment().RESULTS_BUCKET, Key: objectKey }));
  return ETag as string;
}

/** A link to the bytes of a version, good for five minutes from now. */
export const parametersUrl = ({ objectKey }: Parameters): Promise<string> =>
  getSignedUrl(s3, new GetObjectCommand({ Bucket: environment().RESULTS_BUCKET, Key: objectKey }), {
    expiresIn: linkSeconds,
  });

/** Takes some old versions away; each push does, so nobody else needs to. A sweep that fails is made up for by the next one. */
async function sweep(runId: string, now: Date): Promise<void> {
  try {
    for (const { objectKey, version } of outdated(await oldest(runId), now)) {
      await deletePrefix(environment().RESULTS_BUCKET, objectKey);
      const Key = keys.runParameters(runId, version);
      await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key }));
    }
  } catch (error) {
    console.warn(JSON.stringify({ message: "old parameters stay for now", runId, error: String(error) }));
  }
}

async function oldest(runId: string): Promise<Parameters[]> {
  const { pk, sk } = keys.runParameters(runId, 0);
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":pk": pk,
        ":from": sk,
        ":to": keys.runParameters(runId, Number.MAX_SAFE_INTEGER).sk,
      },
      Limit: sweptAtOnce + 1,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Parameters.parse(item));
}
