import type * as z from "zod";
import english from "zod/v4/locales/en.js";
import chinese from "zod/v4/locales/zh-CN.js";
import type { Contract, UploadedFile } from "./contract.ts";
import { SluiceError } from "./errors.ts";
import type { Language } from "./language.ts";
import type { OperationEvent } from "./operation.ts";
import { header } from "./responses.ts";

/** Deeper JSON than any of our shapes; a limit keeps recursive code safe from `[[[[...`. */
const jsonDepthMax = 64;
const inputEchoMax = 100;
/** Who reads more of them at once? A body of 6 MB can give reason for more than an answer may hold. */
const complaintsMax = 100;

const localeErrors = { zh: chinese().localeError, en: english().localeError };

/** The words that a schema brings along for a refusal of its own, see `says`, else those of the library. */
const wordsIn =
  (language: Language): z.core.$ZodErrorMap =>
  (issue) => {
    const own = issue.code === "custom" ? issue.params?.[language] : undefined;
    return typeof own === "string" ? own : localeErrors[language](issue);
  };

/** One complaint, in the shape existing front ends read. */
export interface ValidationIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
}

/** Input that does not have the contract's form: a 422 with every complaint. */
export class ValidationFailed extends Error {
  readonly issues: readonly ValidationIssue[];
  constructor(issues: readonly ValidationIssue[]) {
    super("The input does not have the expected form");
    this.issues = issues;
  }
}

/** Parses path, query and body by the contract and leaves them on the event. @throws ValidationFailed, SluiceError */
export async function readRequest(event: OperationEvent, contract: Contract): Promise<void> {
  const { request } = event;
  if (contract.params) request.params = validate(contract.params, event.pathParameters ?? {}, "path", request.language);
  if (contract.query) request.query = validate(contract.query, queryOf(event), "query", request.language);
  if (contract.body) request.body = validate(contract.body, await bodyOf(event, contract), "body", request.language);
}

/** A parameter that is given once is its value, a repeated one an array. */
function queryOf(event: OperationEvent): Record<string, string | string[]> {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {});
  return Object.fromEntries(
    given.map(([name, values]) => [name, values?.length === 1 ? (values[0] as string) : (values ?? [])]),
  );
}

/**
 * What a schema makes of a value from outside.
 * @param where what the place of each complaint begins with
 * @throws ValidationFailed with the first hundred complaints
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: string,
  language: Language,
): z.output<S> {
  const parsed = schema.safeParse(value, { error: wordsIn(language), reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ValidationFailed(
    parsed.error.issues.slice(0, complaintsMax).map((issue) => ({
      type: issue.code ?? "invalid",
      loc: [where, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))],
      msg: issue.message,
      ...echo(issue.input, issue.path),
    })),
  );
}

/** Shows what was sent where that is short and harmless; a password or key is never sent back, not even to its owner and not within a URL. */
function echo(input: unknown, path: readonly PropertyKey[]): { input?: unknown } {
  const secret = path.some((part) => /password|secret|token|key|authorization/i.test(String(part)));
  const scalar = ["string", "boolean"].includes(typeof input) || Number.isFinite(input);
  if (secret || !scalar || (typeof input === "string" && /:\/\/[^/]*@/.test(input))) return {};
  return { input: typeof input === "string" ? input.slice(0, inputEchoMax) : input };
}

async function bodyOf(event: OperationEvent, contract: Contract): Promise<unknown> {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  const given = header(event, "content-type") ?? "";
  const type = given.split(";")[0]?.trim().toLowerCase() ?? "";
  switch (contract.bodyType ?? "json") {
    case "json":
      if (bytes.length === 0) return undefined;
      expectType(type, "application/json");
      return parseJson(bytes);
    case "form":
      expectType(type, "application/x-www-form-urlencoded");
      return Object.fromEntries(new URLSearchParams(bytes.toString("utf8")));
    case "multipart":
      expectType(type, "multipart/form-data");
      return parseMultipart(bytes, given);
  }
}

function expectType(given: string, expected: string): void {
  if (given !== expected) throw new SluiceError("unsupported_media_type", { given: given || "(none)", expected });
}

/** Strict UTF-8, bounded depth, and no key that could reach a prototype. */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SluiceError("invalid_json", { reason: "the bytes are not UTF-8" });
  }
  if (depthOf(text) > jsonDepthMax)
    throw new SluiceError("invalid_json", { reason: `nested deeper than ${jsonDepthMax} levels` });
  try {
    return JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value));
  } catch (error) {
    throw new SluiceError("invalid_json", { reason: (error as Error).message });
  }
}

/** Greatest nesting of brackets outside strings, found without recursion before anything is built. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === "\\") i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === "[" || c === "{") deepest = Math.max(deepest, ++depth);
    else if (c === "]" || c === "}") depth--;
  }
  return deepest;
}

/** The reader of forms is a twentieth of what a function loads, and few operations take a form. */
async function parseMultipart(bytes: Buffer, contentType: string): Promise<Record<string, string | UploadedFile>> {
  const { readForm } = await import("./multipart-form.ts");
  try {
    return await readForm(bytes, contentType);
  } catch (error) {
    throw error instanceof SluiceError ? error : malformedForm(error);
  }
}

const malformedForm = (error: unknown) =>
  new ValidationFailed([
    { type: "invalid_form", loc: ["body"], msg: `multipart/form-data: ${(error as Error).message}` },
  ]);
