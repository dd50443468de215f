import type { IncomingMessage, ServerResponse } from "node:http";

/** Who signed a call: the role of a function, of a state machine, or the operator of this machine. */
export interface Caller {
  /** Role name; "operator" may do everything, as the account's administrator may. */
  readonly role: string;
  readonly arn: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** One thing that IAM has to allow before a call runs, in the terms of the service authorisation reference. */
export interface Permission {
  /** For example "dynamodb:PutItem". */
  readonly action: string;
  readonly resource: string;
  /** Condition keys, for example { "dynamodb:LeadingKeys": ["U#1"], "kms:EncryptionContext:app": "sluice" }. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the wire format of an AWS JSON protocol; each service checks what it reads.
export type Json = any;

/** An error as AWS answers it. `fields` are further members of the body, such as CancellationReasons. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, fields: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** A service that speaks one of the AWS JSON protocols: DynamoDB, KMS, Step Functions. */
export interface JsonService {
  readonly contentType: "application/x-amz-json-1.0" | "application/x-amz-json-1.1";
  /** Everything that the caller's role must grant; a transaction names each item. Never touches data. */
  permissions(operation: string, input: Json): Permission[];
  /** @throws AwsError as AWS documents it for this operation */
  call(operation: string, input: Json, caller: Caller): Promise<object>;
}

/** A request to a REST service (S3), its signature already verified. */
export interface RestCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Null for an unsigned request: a CORS preflight, or a form whose policy document carries the signature. */
  readonly caller: Caller | null;
  /** The value of x-amz-content-sha256 that the signature covers; the service compares it with what arrives. */
  readonly contentSha256: string;
  /** Looks up the caller behind an access key, for the signature of a POST policy. */
  callerOf(accessKeyId: string): Caller | undefined;
  /** What IAM would say, without a record of a call: S3 words a missing key by what else its caller may do. */
  allows(caller: Caller | null, permission: Permission): boolean;
  /**
   * Asks IAM, records the call and injects planned faults; to be awaited before any data is touched.
   * @throws AwsError AccessDenied
   */
  authorise(caller: Caller | null, operation: string, permissions: Permission[]): Promise<void>;
}

export interface RestService {
  /** Writes the whole answer, or throws before the first byte of it. */
  handle(call: RestCall): Promise<void>;
  /** Answers with the service's own error document; an error that is no AwsError is a 500. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void;
}

/** What came of invoking a function: its result, or the error that a caller of the Lambda API would see. */
export type InvokeResult =
  | { readonly ok: true; readonly payload: Json }
  | { readonly ok: false; readonly error: string; readonly message: string };

/** How Step Functions, EventBridge and the API reach a function. `caller` is the invoking role; IAM is asked first. */
export interface FunctionPort {
  invoke(caller: Caller, functionArn: string, payload: Json): Promise<InvokeResult>;
}

/** Account and region of the embedded cloud; they stand in every ARN of this machine. */
export const localAccount = { account: "000000000000", region: "us-east-1" } as const;
