import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setHeaders } from "./s3/answer.ts";
import { BlobStore } from "./s3/blob-store.ts";
import type { BucketProps } from "./s3/bucket.ts";
import { corsHeaders } from "./s3/cors.ts";
import { CreatedEvents, eventSchema, type ObjectCreatedListener } from "./s3/created-events.ts";
import { Database } from "./s3/database.ts";
import { ObjectIndex, objectSchema } from "./s3/object-index.ts";
import { noSuchBucket, S3Error } from "./s3/s3-error.ts";
import { S3Request, targetOf } from "./s3/s3-request.ts";
import { serve } from "./s3/serve.ts";
import type { Step, Store } from "./s3/store.ts";
import { sweepLifecycle } from "./s3/sweep-lifecycle.ts";
import { UploadIndex, uploadSchema } from "./s3/upload-index.ts";
import { toXml } from "./s3/xml.ts";
import { AwsError, type RestCall, type RestService } from "./service.ts";

export type { BucketProps, CorsRule, LifecycleRule } from "./s3/bucket.ts";
export type { ObjectCreated, ObjectCreatedListener } from "./s3/created-events.ts";

export interface S3Props {
  /** Where objects and index are kept; made when missing. One process at a time. */
  readonly folder: string;
  /** The clock of modification times, expiry of policies, and lifecycle rules. @default the machine's */
  readonly now?: () => Date;
}

/**
 * S3 on this machine: path-style addresses, versions, multipart uploads, presigned URLs and forms, conditions, checksums,
 * CORS and lifecycle rules, on files and one SQLite index. An answered write survives the death of the process and of the
 * machine. What it does not know it refuses with NotImplemented.
 */
export class S3 implements RestService {
  /** Called as a write gets along. Tests only: this is where they kill the process. */
  onStep: (step: Step) => void = () => {};
  readonly #props: S3Props;
  #opened: { readonly database: Database; readonly store: Store } | null = null;

  constructor(props: S3Props) {
    this.#props = props;
  }

  /** Opens the store and clears away what a crash left behind. @throws Error when another process has it open */
  async open(): Promise<void> {
    const { folder, now = () => new Date() } = this.#props;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const database = new Database(join(folder, "index.sqlite"), objectSchema + uploadSchema + eventSchema);
    const objects = new ObjectIndex(database);
    const uploads = new UploadIndex(database, objects);
    const blobs = new BlobStore(join(folder, "blobs"));
    const events = new CreatedEvents(database);
    await blobs.open((id) => objects.isKnownBlob(id));
    this.#opened = { database, store: { objects, uploads, blobs, events, now, step: (step) => this.onStep(step) } };
  }

  /** Makes a bucket, or gives an existing one these properties; objects stay. */
  async ensureBucket(props: BucketProps): Promise<void> {
    this.#store.objects.putBucket(props);
  }

  /**
   * Tells of each new object after its commit, at least once. An event that was not yet taken when the process died is
   * told after the next start; a listener that rejects is told again then, too.
   */
  onObjectCreated(listener: ObjectCreatedListener): void {
    this.#store.events.listen(listener);
  }

  /** Applies the lifecycle rules of all buckets; to be called now and then. */
  async sweep(): Promise<void> {
    for (const bucket of this.#store.objects.buckets()) await sweepLifecycle(bucket, this.#store);
  }

  async close(): Promise<void> {
    this.#opened?.store.events.strike();
    this.#opened?.database.close();
    this.#opened = null;
  }

  async handle(call: RestCall): Promise<void> {
    const { request, response } = call;
    identify(response);
    const target = targetOf(request);
    const bucket = this.#store.objects.bucket(target.bucket);
    setHeaders(response, corsHeaders(request, bucket));
    if (!bucket) throw call.caller ? noSuchBucket(target.bucket) : new S3Error("AccessDenied");
    await serve(new S3Request(call, bucket, target.key), this.#store);
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known =
      error instanceof AwsError
        ? error
        : new AwsError("InternalError", "We encountered an internal error. Please try again.", 500);
    if (known !== error) console.error("embedded cloud: S3:", error);
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const requestId = identify(response);
    setHeaders(response, {
      ...corsHeaders(request, this.#bucketOf(request)),
      ...(known instanceof S3Error && known.headers),
    });
    const hasBody = request.method !== "HEAD" && known.status !== 304;
    const { code: Code, message: Message, fields } = known;
    const body = hasBody
      ? toXml("Error", { Code, Message, ...(fields as Record<string, string>), RequestId: requestId })
      : "";
    if (hasBody) setHeaders(response, { "content-type": "application/xml", "content-length": Buffer.byteLength(body) });
    response.writeHead(known.status).end(body);
    // The rest of a refused upload is read and dropped: the client reads our answer only when it has sent it all.
    request.unpipe();
    request.resume();
  }

  get #store(): Store {
    if (!this.#opened) throw new Error("S3 is not open");
    return this.#opened.store;
  }

  #bucketOf(request: IncomingMessage) {
    try {
      return this.#store.objects.bucket(targetOf(request).bucket);
    } catch {
      return undefined; // No CORS headers on the answer to a path that cannot be read.
    }
  }
}

/** Every answer has an id, as on AWS, so that a log of either side can name it. */
function identify(response: ServerResponse): string {
  const requestId = randomBytes(8).toString("hex").toUpperCase();
  setHeaders(response, { "x-amz-request-id": requestId, "x-amz-id-2": randomBytes(32).toString("base64") });
  return requestId;
}
