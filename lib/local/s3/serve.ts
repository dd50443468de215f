import { localAccount } from "../service.ts";
import { answerEmpty } from "./answer.ts";
import { completeMultipartUpload } from "./complete-multipart-upload.ts";
import { copyObject } from "./copy-object.ts";
import { preflightHeaders } from "./cors.ts";
import { deleteObject, deleteObjects } from "./delete-objects.ts";
import { getObject } from "./get-object.ts";
import { listObjectsV2, listObjectVersions } from "./list-objects.ts";
import { abortMultipartUpload, createMultipartUpload, listParts, uploadPart } from "./multipart.ts";
import { postObject } from "./post-object.ts";
import { putObject } from "./put-object.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { Store } from "./store.ts";

/** Finds the operation that a request means and runs it. */
export async function serve(request: S3Request, store: Store): Promise<void> {
  const part = unknownParts.find((name) => request.query.has(name));
  if (part) throw new S3Error("NotImplemented", { fields: { ResourceType: part } });
  const route = routes.find((one) => fits(one, request));
  if (!route) throw new S3Error(request.key === "" ? "NotImplemented" : "MethodNotAllowed");
  if (!route.isUnsigned) checkCaller(request);
  await route.run(request, store);
}

interface Route {
  readonly method: string;
  readonly on: "bucket" | "object" | "both";
  /** A query parameter or a header that has to be there. */
  readonly query?: string;
  readonly header?: string;
  /** Whether the request needs no signature of its own. @default false */
  readonly isUnsigned?: boolean;
  readonly run: (request: S3Request, store: Store) => Promise<void>;
}

/** The first that fits is taken. */
const routes: readonly Route[] = [
  { method: "OPTIONS", on: "both", isUnsigned: true, run: preflight },
  { method: "HEAD", on: "bucket", run: headBucket },
  { method: "GET", on: "bucket", query: "list-type", run: listObjectsV2 },
  { method: "GET", on: "bucket", query: "versions", run: listObjectVersions },
  { method: "POST", on: "bucket", query: "delete", run: deleteObjects },
  { method: "POST", on: "bucket", isUnsigned: true, run: postObject },
  { method: "GET", on: "object", query: "uploadId", run: listParts },
  { method: "GET", on: "object", run: getObject },
  { method: "HEAD", on: "object", run: getObject },
  { method: "PUT", on: "object", query: "partNumber", run: uploadPart },
  { method: "PUT", on: "object", header: "x-amz-copy-source", run: copyObject },
  { method: "PUT", on: "object", run: putObject },
  { method: "POST", on: "object", query: "uploads", run: createMultipartUpload },
  { method: "POST", on: "object", query: "uploadId", run: completeMultipartUpload },
  { method: "DELETE", on: "object", query: "uploadId", run: abortMultipartUpload },
  { method: "DELETE", on: "object", run: deleteObject },
];

/** Parts of a bucket or an object that we do not keep. To ignore the name would be to answer another question. */
const unknownParts = (
  "accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold lifecycle location " +
  "logging metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock renameObject " +
  "replication requestPayment restore retention select session tagging torrent versioning website"
).split(" ");

const fits = (route: Route, request: S3Request) =>
  route.method === request.call.request.method &&
  (route.on === "both" || (route.on === "bucket") === (request.key === "")) &&
  (route.query === undefined || request.query.has(route.query)) &&
  (route.header === undefined || request.header(route.header) !== undefined);

/** @throws S3Error AccessDenied, InvalidRequest */
function checkCaller(request: S3Request): void {
  if (!request.call.caller) throw new S3Error("AccessDenied");
  const { headers } = request.call.request;
  if (headers.authorization !== undefined && headers["x-amz-content-sha256"] === undefined) {
    throw new S3Error("InvalidRequest", { message: "Missing required header for this request: x-amz-content-sha256" });
  }
  const owner = request.header("x-amz-expected-bucket-owner");
  if (owner !== undefined && owner !== localAccount.account) throw new S3Error("AccessDenied");
}

async function headBucket(request: S3Request): Promise<void> {
  await request.authorise("HeadBucket", [request.permission("s3:ListBucket")]);
  answerEmpty(request.call.response, 200, { "x-amz-bucket-region": localAccount.region });
}

async function preflight(request: S3Request): Promise<void> {
  answerEmpty(request.call.response, 200, preflightHeaders(request.call.request, request.bucket));
}
