import { AwsError } from "../service.ts";

/** Status and default wording of each error, from https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const problems = {
  AccessControlListNotSupported: [400, "The bucket does not allow ACLs"],
  AccessDenied: [403, "Access Denied"],
  AccessForbidden: [403, "CORSResponse: This CORS request is not allowed."],
  BadDigest: [400, "The Content-MD5 you specified did not match what we received."],
  EntityTooLarge: [400, "Your proposed upload exceeds the maximum allowed size"],
  EntityTooSmall: [400, "Your proposed upload is smaller than the minimum allowed size"],
  IncompleteBody: [400, "You did not provide the number of bytes specified by the Content-Length HTTP header"],
  InvalidAccessKeyId: [403, "The AWS Access Key Id you provided does not exist in our records."],
  InvalidArgument: [400, "Invalid Argument"],
  InvalidDigest: [400, "The Content-MD5 you specified was invalid."],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartNumber: [416, "The requested partnumber is not satisfiable"],
  InvalidPartOrder: [
    400,
    "The list of parts was not in ascending order. The parts list must be specified in order by part number.",
  ],
  InvalidPolicyDocument: [
    400,
    "The content of the form does not meet the conditions specified in the policy document.",
  ],
  InvalidRange: [416, "The requested range is not satisfiable"],
  InvalidRequest: [400, "Invalid Request"],
  InvalidToken: [400, "The provided token is malformed or otherwise invalid."],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, "Your key is too long"],
  MalformedPOSTRequest: [400, "The body of your POST request is not well-formed multipart/form-data."],
  MalformedTrailerError: [
    400,
    "The request contained trailing data that was not well-formed or did not conform to our published schema.",
  ],
  MalformedXML: [400, "The XML you provided was not well-formed or did not validate against our published schema"],
  MaxMessageLengthExceeded: [400, "Your request was too big."],
  MaxPostPreDataLengthExceeded: [400, "Your POST request fields preceding the upload file were too large."],
  MetadataTooLarge: [400, "Your metadata headers exceed the maximum allowed metadata size."],
  MethodNotAllowed: [405, "The specified method is not allowed against this resource."],
  MissingContentLength: [411, "You must provide the Content-Length HTTP header."],
  NoSuchBucket: [404, "The specified bucket does not exist"],
  NoSuchKey: [404, "The specified key does not exist."],
  NoSuchUpload: [
    404,
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
  ],
  NoSuchVersion: [404, "The specified version does not exist."],
  NotImplemented: [501, "A header or query you provided implies functionality that is not implemented"],
  NotModified: [304, "Not Modified"],
  PreconditionFailed: [412, "At least one of the pre-conditions you specified did not hold"],
  SignatureDoesNotMatch: [
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  ],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type S3ErrorCode = keyof typeof problems;

export interface S3ErrorProps {
  /** @default the wording of the table */
  readonly message?: string;
  /** Further elements of the error document. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as S3 answers it: a code with its status, an XML document, sometimes headers. */
export class S3Error extends AwsError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, props: S3ErrorProps = {}) {
    const [status, message] = problems[code];
    super(code, props.message ?? message, status, props.fields);
    this.headers = props.headers ?? {};
  }
}

export const noSuchBucket = (name: string) => new S3Error("NoSuchBucket", { fields: { BucketName: name } });
