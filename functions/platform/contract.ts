import * as z from "zod";
import type { ErrorCode } from "./errors.ts";
import type { IndexName, RecordKind } from "./table.ts";

/** What a function may touch; CDK makes exactly this into the inline policy of its role, the embedded cloud enforces it. */
export interface Grants {
  readonly reads?: readonly RecordKind[];
  readonly writes?: readonly RecordKind[];
  /** Kinds it may put and nothing more: an entry of the audit log is never read, updated or deleted by who makes it. */
  readonly appends?: readonly RecordKind[];
  /** Kinds whose items it only compares within a transaction. */
  readonly checks?: readonly RecordKind[];
  /** Indexes it lists by. */
  readonly indexes?: readonly IndexName[];
  /** Prefixes of the sources bucket, for example "zips/*". */
  readonly sources?: {
    readonly lists?: readonly string[];
    readonly reads?: readonly string[];
    readonly writes?: readonly string[];
    readonly deletes?: readonly string[];
  };
  readonly results?: {
    readonly lists?: readonly string[];
    readonly reads?: readonly string[];
    readonly writes?: readonly string[];
    readonly deletes?: readonly string[];
  };
  readonly scanMachine?: readonly ("start" | "stop" | "describe")[];
  /** The workflow of permanent deletion. */
  readonly erasureMachine?: readonly "start"[];
  /** Only the login function. */
  readonly signTokens?: boolean;
  /** Use of the key of users' secrets; who only reads them cannot make new ones. */
  readonly secrets?: readonly ("encrypt" | "decrypt")[];
  /** Asking models on Amazon Bedrock, which know the function by its role. */
  readonly bedrock?: true;
}

/**
 * What an API token is good for: looking; looking, uploading and scanning; everything its user may do. The last three are for machines of
 * the actor-learner services, which have no business with the rest: sending experience, training with it, reading it.
 */
export const tokenScopes = ["read", "scan", "all", "producer", "learner", "reader"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Those of the runs of actors and learners: only a token of these can be narrowed to one run. */
export const runScopes: readonly TokenScope[] = ["producer", "learner", "reader"];

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Answers that are no JSON, such as the documentation page: the handler returns a string or bytes. */
export interface RawSuccess {
  readonly contentType: string;
}

export interface Contract<
  P extends z.ZodType | undefined = z.ZodType | undefined,
  Q extends z.ZodType | undefined = z.ZodType | undefined,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  S extends z.ZodType | RawSuccess = z.ZodType | RawSuccess,
> {
  readonly method: Method;
  /** Path below /api/v1; a collection answers with and without a trailing slash. */
  readonly path: string;
  /** True for the few paths outside /api/v1. */
  readonly root?: boolean;
  readonly summary: string;
  readonly auth: "anyone" | "user" | "administrator";
  /** What an API token must be good for. @default "all" for administrators' operations, else "read" for GET and "all" for the rest */
  readonly scope?: TokenScope;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** @default "json" */
  readonly bodyType?: "json" | "form" | "multipart";
  /** The answer is parsed with it before it leaves, so a field that is not listed here stays inside. */
  readonly success: S;
  /** Of a good answer that is none of 200: a redirect carries its Location and, for clients that follow none, a body. */
  readonly status?: 302;
  /** Statuses that a good answer may have instead, with an empty body: bytes that lie elsewhere, or that the client has already. Raw answers only. */
  readonly besides?: readonly (302 | 304)[];
  /** What it can refuse beyond validation and authentication; OpenAPI lists them and contract tests hold it to them. */
  readonly failures: readonly ErrorCode[];
  readonly grants: Grants;
  /** "zh": messages are always Chinese (login and user operations, by specification). @default the caller's language */
  readonly messages?: "zh";
  /** Of an operation that signs people in: the body's field with the address they claim, and the refusals that the audit log keeps. */
  readonly attempt?: { readonly emailField: string; readonly failures: readonly ErrorCode[] };
  /** Honours Idempotency-Key: the same key gives the same answer for 24 hours. */
  readonly idempotent?: boolean;
  /** @default 512 MiB; a bigger function also gets more CPU */
  readonly memoryMiB?: number;
  /** @default 25; API Gateway gives up after 29 s, stopping before lets the caller read our problem body */
  readonly timeoutSeconds?: number;
  /** Most simultaneous runs, where a burst must not eat the account's concurrency. */
  readonly reservedConcurrency?: number;
}

/** Stage of the deployed API; it stands before every path of API Gateway's own address. */
export const apiStage = "live";

export const apiPrefix = "/api/v1";

/** What an API token must be good for to call an operation. */
export const scopeOf = ({ auth, method, scope }: Pick<Contract, "auth" | "method" | "scope">): TokenScope =>
  scope ?? (auth !== "administrator" && method === "GET" ? "read" : "all");

/** The whole path of an operation as a client calls it. */
export const fullPath = (contract: Pick<Contract, "path" | "root">): string =>
  contract.root ? contract.path : `${apiPrefix}${contract.path}`;

export const isRaw = (success: z.ZodType | RawSuccess): success is RawSuccess => !(success instanceof z.ZodType);

/** What a refinement of a schema says about a value that it refuses, in the languages of our messages. */
export const says = (zh: string, en: string) => ({ params: { zh, en } });

/** A UUID of any version, lower-cased; a value that is no id is a 422 before anything is looked up. */
export const Id = z.uuid().toLowerCase();

/** `skip` and `limit` of a list. Offsets are walked, so they end where walking gets expensive. */
export const page = (limitMax = 100, limitDefault = limitMax) =>
  z.object({
    skip: z.coerce.number().int().min(0).max(100_000).default(0),
    limit: z.coerce.number().int().min(1).max(limitMax).default(limitDefault),
  });

/** One uploaded file of a multipart form. */
export interface UploadedFile {
  readonly filename: string;
  readonly bytes: Buffer;
}

export const UploadedFile = z
  .custom<UploadedFile>((value) => typeof value === "object" && value !== null && "bytes" in value, {
    ...says("需要一个文件", "a file is expected"),
  })
  .meta({ format: "binary" });
