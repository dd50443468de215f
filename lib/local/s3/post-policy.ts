import { S3Error } from "./s3-error.ts";

/** The size that a policy allows for the file, in bytes. */
export interface LengthRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Holds a form to the policy that somebody signed for it. Every field has to be named by a condition, and every condition
 * has to hold. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
 * @param policyBase64 the policy as it stands in the form, its signature already verified
 * @param fields the form's fields up to the file, names in lower case, and `bucket` from the URL
 * @returns what to hold the file to
 * @throws S3Error InvalidPolicyDocument, AccessDenied
 */
export function applyPolicy(
  policyBase64: string,
  fields: ReadonlyMap<string, string>,
  now: Date,
  bytesMax: number,
): LengthRange {
  const { expiration, conditions } = parsePolicy(policyBase64);
  if (now >= expiration) throw denied("Policy expired.");
  const covered = new Set<string>();
  let range: LengthRange = { min: 0, max: bytesMax };
  for (const condition of conditions) {
    if (condition.kind === "content-length-range") {
      range = { min: Math.max(range.min, condition.min), max: Math.min(range.max, condition.max) };
      continue;
    }
    covered.add(condition.field);
    if (!holds(condition, fields.get(condition.field) ?? "")) {
      throw denied(`Policy Condition failed: ${JSON.stringify(condition.source)}`);
    }
  }
  const extra = [...fields.keys()].filter((name) => !covered.has(name) && !isExempt(name));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(", ")}`);
  return range;
}

type Condition =
  | { readonly kind: "eq" | "starts-with"; readonly field: string; readonly value: string; readonly source: unknown }
  | { readonly kind: "content-length-range"; readonly min: number; readonly max: number };

interface Policy {
  readonly expiration: Date;
  readonly conditions: readonly Condition[];
}

/** The bucket stands in the URL; a policy may leave it out, as it may its own signature. */
const isExempt = (name: string) =>
  name === "x-amz-signature" || name === "policy" || name === "bucket" || name.startsWith("x-ignore-");

function holds(condition: Extract<Condition, { field: string }>, value: string): boolean {
  if (condition.kind === "eq") return value === condition.value;
  // A content type may be a list, of which each entry has to begin so.
  const values = condition.field === "content-type" ? value.split(",").map((one) => one.trim()) : [value];
  return values.every((one) => one.startsWith(condition.value));
}

function parsePolicy(base64: string): Policy {
  const document = parseJson(Buffer.from(base64, "base64").toString("utf8"));
  if (typeof document !== "object" || document === null) throw invalid("Invalid JSON.");
  const { expiration, conditions } = document as { expiration?: unknown; conditions?: unknown };
  if (typeof expiration !== "string") throw invalid("Policy missing expiration.");
  if (!Array.isArray(conditions)) throw invalid("Policy missing conditions.");
  const at = new Date(expiration);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(expiration) || Number.isNaN(at.getTime())) {
    throw invalid(`Invalid 'expiration' value: '${expiration}'`);
  }
  return { expiration: at, conditions: conditions.flatMap(parseCondition) };
}

function parseCondition(source: unknown): Condition[] {
  if (Array.isArray(source)) return [parseOperation(source)];
  if (typeof source !== "object" || source === null) throw invalid("Invalid Simple-Condition");
  return Object.entries(source).map(([name, value]) => {
    if (typeof value !== "string") throw invalid("Invalid Simple-Condition: value must be a string.");
    return { kind: "eq", field: name.toLowerCase(), value, source: ["eq", `$${name}`, value] };
  });
}

function parseOperation(source: readonly unknown[]): Condition {
  const [operation, field, value] = source;
  const kind = typeof operation === "string" ? operation.toLowerCase() : "";
  if (source.length !== 3) throw invalid(`Incorrect number of arguments for operator '${kind}'`);
  if (kind === "content-length-range") {
    const [min, max] = [Number(field), Number(value)];
    if (Number.isInteger(min) && Number.isInteger(max) && min >= 0) return { kind, min, max };
    throw invalid("Invalid content-length-range.");
  }
  const isMatch = kind === "eq" || kind === "starts-with";
  if (isMatch && typeof field === "string" && field.startsWith("$") && typeof value === "string") {
    return { kind, field: field.slice(1).toLowerCase(), value, source };
  }
  throw invalid(`Invalid condition: ${JSON.stringify(source)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("Invalid JSON.");
  }
}

const invalid = (message: string) => new S3Error("InvalidPolicyDocument", { message: `Invalid Policy: ${message}` });
const denied = (message: string) => new S3Error("AccessDenied", { message: `Invalid according to Policy: ${message}` });
