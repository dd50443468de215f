import middy from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type * as z from "zod";
import type { User } from "../users/user.ts";
import { audited } from "./audit.ts";
import { authenticate } from "./authentication.ts";
import { type Contract, isRaw, type RawSuccess } from "./contract.ts";
import { crossOrigin } from "./cross-origin.ts";
import { idempotently } from "./idempotency.ts";
import type { Language } from "./language.ts";
import { readRequest } from "./request.ts";
import { header, problemAnswers, requestLog, securityHeaders } from "./responses.ts";

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;
type Input<S> = S extends z.ZodType ? z.input<S> : string | Buffer;

/** What a handler gets: validated input, who calls, and the clock, ids coming from the caller so that tests can fix them. */
export interface OperationRequest<P, Q, B> {
  readonly params: Output<P>;
  readonly query: Output<Q>;
  readonly body: Output<B>;
  /** The signed-in user; operations open to anyone do not look at it. */
  readonly caller: User;
  /** Tells the audit log who this is, where the operation itself finds out: at login and registration. */
  readonly identify: (userId: string) => void;
  readonly language: Language;
  readonly requestId: string;
  /** The client's address as API Gateway saw it; headers that claim another do not count. */
  readonly sourceAddress: string;
  /** The header as it came, for operations whose answers have an ETag. */
  readonly ifNoneMatch: string | undefined;
  readonly now: () => Date;
}

/** An answer with a status other than 200 or with headers of its own. */
export class Reply<T> {
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(body: T, headers: Readonly<Record<string, string>> = {}, status = 200) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

/** A page of a longer list; the total travels in X-Total-Count because the body is a bare array. */
export const listReply = <T>(items: T[], total: number) => new Reply(items, { "X-Total-Count": String(total) });

export interface Operation {
  readonly contract: Contract;
  readonly handle: (request: OperationRequest<never, never, never>) => Promise<unknown>;
}

/** The one way to make a REST operation: its contract, from which everything else is made, and its handler. */
export function operation<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  S extends z.ZodType | RawSuccess = z.ZodType | RawSuccess,
>(
  contract: Contract<P, Q, B, S>,
  handle: (request: OperationRequest<P, Q, B>) => Promise<Input<S> | Reply<Input<S>>>,
): Operation {
  return { contract: contract as Contract, handle: handle as Operation["handle"] };
}

/** The event between the middlewares: what API Gateway sent and what they have found out so far. */
export interface OperationEvent extends APIGatewayProxyEvent {
  request: {
    language: Language;
    requestId: string;
    sourceAddress: string;
    caller?: User;
    /** The API token that the caller came with, if it was one. */
    tokenId?: string;
    /** Who an operation open to anyone found the caller to be. */
    identified?: string;
    params?: unknown;
    query?: unknown;
    body?: unknown;
  };
}

/** The Lambda handler of an operation: one middy stack for all of them. */
export function lambdaHandler(name: string, served: Operation, now: () => Date = () => new Date()) {
  const { contract } = served;
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(crossOrigin())
    .use(requestLog(name, contract))
    .use(securityHeaders())
    .use(problemAnswers())
    .use({ before: async ({ event }) => authenticate(event as OperationEvent, contract, now()) })
    .use({ before: async ({ event }) => readRequest(event as OperationEvent, contract) })
    .handler(async (event: APIGatewayProxyEvent, _: Context) => {
      const { request } = event as OperationEvent;
      const identify = (userId: string) => {
        request.identified = userId;
      };
      const ifNoneMatch = header(event, "if-none-match");
      const handle = async () =>
        answer(contract, await served.handle({ ...request, identify, ifNoneMatch, now } as never));
      const run = () => audited(name, event as OperationEvent, contract, handle);
      return contract.idempotent ? idempotently(name, event as OperationEvent, now(), run) : run();
    });
}

/** Checks the answer against the contract before it leaves: a stored field that nobody decided to show is cut off here. */
function answer(contract: Contract, result: unknown): APIGatewayProxyResult {
  const reply = result instanceof Reply ? result : new Reply(result);
  if (isRaw(contract.success)) {
    const bytes = Buffer.from(reply.body as string | Buffer);
    return {
      statusCode: reply.status,
      headers: { "Content-Type": contract.success.contentType, ...reply.headers },
      body: bytes.toString("base64"),
      isBase64Encoded: true,
    };
  }
  return {
    statusCode: reply.status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...reply.headers },
    body: JSON.stringify(contract.success.parse(reply.body)),
  };
}
