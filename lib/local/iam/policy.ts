import { localAccount } from "../service.ts";
import { type Condition, type Context, parseConditions, textsOf } from "./condition.ts";
import { globMatches } from "./glob.ts";

/** Who asks: a role of this account, or an AWS service that acts on its own behalf. */
export type Principal =
  | { readonly kind: "role"; readonly arn: string }
  | { readonly kind: "service"; readonly name: string };

export interface PolicyRequest {
  readonly principal: Principal;
  readonly action: string;
  readonly resource: string;
  readonly context: Context;
}

/**
 * What a set of statements says of a request. "delegate" comes from a resource policy that names the whole account:
 * it leaves the decision to the policies of the caller's role.
 */
export type Verdict = "deny" | "allow" | "delegate" | "none";

export interface Statement {
  readonly allows: boolean;
  matches(request: PolicyRequest): "direct" | "account" | null;
}

/**
 * Reads a policy document of a role, a key, a bucket or a function.
 * @param kind an identity policy speaks for whoever carries it; a resource policy names its principals
 * @throws Error for what this evaluator does not know; granting or denying by guess would hide it
 */
export function parsePolicy(document: unknown, kind: "identity" | "resource"): Statement[] {
  const { Statement: statements } = document as { Statement: unknown };
  return (Array.isArray(statements) ? statements : [statements]).map((statement) => parseStatement(statement, kind));
}

/** The strongest word among statements: deny, then allow, then delegate. */
export function verdictOf(statements: readonly Statement[], request: PolicyRequest): Verdict {
  let verdict: Verdict = "none";
  for (const statement of statements) {
    const match = statement.matches(request);
    if (!match) continue;
    if (!statement.allows) return "deny";
    if (match === "direct") verdict = "allow";
    else if (verdict === "none") verdict = "delegate";
  }
  return verdict;
}

const elements = new Set(
  "Sid Effect Action NotAction Resource NotResource Principal Condition".split(" "), // NotPrincipal is not used by CDK
);

function parseStatement(statement: Record<string, unknown>, kind: "identity" | "resource"): Statement {
  for (const element of Object.keys(statement)) {
    if (!elements.has(element))
      throw new Error(`The policy element ${element} is not supported by the embedded cloud.`);
  }
  const variable = /\$\{[^}]*\}/.exec(JSON.stringify(statement));
  if (variable) throw new Error(`The policy variable ${variable[0]} is not supported by the embedded cloud.`);
  const { Effect, Action, NotAction, Resource, NotResource, Principal, Condition } = statement;
  // IAM does not tell the case of actions apart, but does for resources.
  const action = matcher(Action, NotAction, (text) => text.toLowerCase());
  const resource = matcher(Resource, NotResource, (text) => text);
  const principal = kind === "resource" ? principalMatcher(Principal) : () => "direct" as const;
  const conditions: Condition[] = parseConditions(Condition);
  return {
    allows: Effect === "Allow",
    matches: (request) =>
      action(request.action) && resource(request.resource) && conditions.every((holds) => holds(request.context))
        ? principal(request.principal)
        : null,
  };
}

/** A trust policy has no Resource, a function's permission is about that function: both then match anything. */
function matcher(wanted: unknown, unwanted: unknown, fold: (text: string) => string): (text: string) => boolean {
  const patterns = textsOf(wanted ?? unwanted ?? "*").map(fold);
  const negated = wanted === undefined && unwanted !== undefined;
  return (text) => patterns.some((pattern) => globMatches(pattern, fold(text))) !== negated;
}

function principalMatcher(principal: unknown): (asking: Principal) => "direct" | "account" | null {
  const everybody = principal === "*";
  const { AWS = [], Service = [] } = (everybody ? { AWS: "*" } : (principal ?? {})) as Record<string, unknown>;
  const callers = textsOf(AWS);
  const services = textsOf(Service);
  const account = [localAccount.account, `arn:aws:iam::${localAccount.account}:root`];
  return (asking) => {
    if (asking.kind === "service") return everybody || services.includes(asking.name) ? "direct" : null;
    if (callers.includes("*") || callers.includes(asking.arn)) return "direct";
    return callers.some((caller) => account.includes(caller)) ? "account" : null;
  };
}
