import type { S3Client } from "@aws-sdk/client-s3";
import type { MapState } from "./definition.ts";
import { type JsonText, StateFailure, withinLimit } from "./failure.ts";
import { s3Of, wordsOf } from "./item-reader.ts";
import type { MapConfig } from "./map-config.ts";
import type { Execution, MapRun, Status } from "./records.ts";
import type { Step } from "./run.ts";
import { defined, redriveStatus } from "./views.ts";

/** AWS writes files of up to 5 GB; each of ours is put together in memory. */
const fileCharactersMax = 8 * 1024 * 1024;

type Transformation = "NONE" | "COMPACT" | "FLATTEN";

/**
 * What a Distributed Map answers: with a ResultWriter the place of the manifest it wrote, otherwise the outputs of the
 * children in the order of the items. A run that failed writes its files too, and answers nothing.
 * @throws StateFailure States.ResultWriterFailed, States.DataLimitExceeded
 */
export async function resultOf(
  step: Step<MapState>,
  mapRun: MapRun,
  config: MapConfig,
  succeeded: boolean,
): Promise<JsonText> {
  if (config.writer) return await writeResults(step, mapRun, config.writer);
  if (!succeeded) return "null";
  const transformation = step.state.ResultWriter?.WriterConfig?.Transformation ?? "COMPACT";
  let result = "";
  for (const entry of entriesOf(step, mapRun, null, transformation)) {
    result += result === "" ? entry : `,${entry}`;
    withinLimit(result, `result of state '${step.frame.state}'`);
  }
  return `[${result}]`;
}

async function writeResults(
  step: Step<MapState>,
  mapRun: MapRun,
  { Bucket, Prefix }: NonNullable<MapConfig["writer"]>,
) {
  const folder = `${Prefix === "" ? "" : `${Prefix.replace(/\/$/, "")}/`}${mapRun.arn.split(":").at(-1)}`;
  const s3 = await s3Of(step.run);
  try {
    const files = new Files(s3, Bucket, folder);
    const { OutputType = "JSON", Transformation = "NONE" } = step.state.ResultWriter?.WriterConfig ?? {};
    const groups = {
      FAILED: ["FAILED", "TIMED_OUT", "ABORTED"],
      PENDING: ["PENDING"],
      SUCCEEDED: ["SUCCEEDED"],
    } as const;
    const ResultFiles: Record<string, object[]> = {};
    for (const [name, statuses] of Object.entries(groups)) {
      const entries = statuses.flatMap((status) => [entriesOf(step, mapRun, status, Transformation)]);
      ResultFiles[name] = await files.write(name, OutputType, entries, () => step.scope.check());
    }
    const manifest = { DestinationBucket: Bucket, MapRunArn: mapRun.arn, ResultFiles };
    await files.put("manifest.json", JSON.stringify(manifest));
  } catch (error) {
    if (step.scope.cancelled) step.scope.check();
    throw new StateFailure("States.ResultWriterFailed", `The results could not be written: ${wordsOf(error)}`);
  } finally {
    s3.destroy();
  }
  return JSON.stringify({ MapRunArn: mapRun.arn, ResultWriterDetails: { Bucket, Key: `${folder}/manifest.json` } });
}

class Files {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #folder: string;

  constructor(s3: S3Client, bucket: string, folder: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#folder = folder;
  }

  /** Writes the entries to as many files as they need: SUCCEEDED_0.json, SUCCEEDED_1.json, ... */
  async write(
    name: string,
    type: "JSON" | "JSONL",
    groups: Iterable<JsonText>[],
    check: () => void,
  ): Promise<object[]> {
    const written: object[] = [];
    let entries: JsonText[] = [];
    let characters = 0;
    const flush = async () => {
      const body = type === "JSON" ? `[${entries.join()}]` : entries.map((entry) => `${entry}\n`).join("");
      const file = `${name}_${written.length}.${type.toLowerCase()}`;
      entries = [];
      characters = 0;
      check();
      written.push(await this.put(file, body));
    };
    for (const group of groups) {
      for (const entry of group) {
        entries.push(entry);
        characters += entry.length;
        if (characters > fileCharactersMax) await flush();
      }
    }
    if (entries.length > 0) await flush();
    return written;
  }

  async put(file: string, body: string): Promise<{ Key: string; Size: number }> {
    const { PutObjectCommand } = await import("@aws-sdk/client-s3");
    const Key = `${this.#folder}/${file}`;
    await this.#s3.send(
      new PutObjectCommand({ Bucket: this.#bucket, Key, Body: body, ContentType: "application/json" }),
    );
    return { Key, Size: Buffer.byteLength(body) };
  }
}

function* entriesOf(
  { engine }: Step,
  mapRun: MapRun,
  status: Status | null,
  transformation: Transformation,
): Generator<JsonText> {
  for (const child of engine.store.children(mapRun.id, status)) yield* entries(child, transformation);
}

/** A child that did not succeed has no output to show; it always appears as its record. */
function* entries(child: Execution, transformation: Transformation): Generator<JsonText> {
  if (child.status !== "SUCCEEDED" || transformation === "NONE") yield JSON.stringify(recordOf(child));
  else if (transformation === "COMPACT") yield child.output as JsonText;
  else {
    const output = JSON.parse(child.output as JsonText);
    if (Array.isArray(output)) for (const part of output) yield JSON.stringify(part);
    else yield child.output as JsonText;
  }
}

const recordOf = (child: Execution): object =>
  defined({
    Cause: child.cause ?? undefined,
    Error: child.error ?? undefined,
    ExecutionArn: child.arn,
    Input: child.input,
    InputDetails: { Included: true },
    Name: child.name,
    Output: child.output ?? undefined,
    OutputDetails: child.output === null ? undefined : { Included: true },
    RedriveCount: child.redrives,
    RedriveStatus: redriveStatus(child).redriveStatus,
    StartDate: dateOf(child.startedAt),
    StateMachineArn: child.machine,
    Status: child.status,
    StopDate: dateOf(child.stoppedAt),
  });

const dateOf = (at: number | null): string | undefined => (at === null ? undefined : new Date(at).toISOString());
