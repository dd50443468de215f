import { expression, type LazyRegex } from "../catalogue/expression.ts";
import type { Rule, SecretProvider } from "../catalogue/rule-schema.ts";
import type { Severity } from "../finding.ts";

/** One expression to run where one of its keywords stands. */
export interface CompiledSecret {
  readonly rule: Rule;
  /** The service, empty where none is meant. */
  readonly provider: string;
  readonly severity: Severity;
  readonly keywords: readonly string[];
  /** The secret begins with the keyword, so that nothing before it has to be looked at. */
  readonly leads: boolean;
  readonly regex: LazyRegex;
  readonly group: number;
  readonly entropy: number;
  readonly allow: readonly LazyRegex[];
  readonly common: { readonly values: ReadonlySet<string>; readonly near: LazyRegex } | null;
}

/** The expressions of a rule: its own, or one for each service. */
export function compileSecrets(rule: Rule): CompiledSecret[] {
  if (!rule.secret) return [];
  const { regex, names, keywords, group, entropy, allow, common, providers } = rule.secret;
  if (regex === undefined) return providers.map((provider) => compileProvider(rule, provider));
  return [
    {
      rule,
      provider: "",
      severity: rule.severity,
      keywords,
      leads: false,
      regex: expression(regex.replaceAll("{name}", () => `[a-z0-9_.-]*(?:${names.join("|")})`)),
      group,
      entropy,
      allow: allow.map(expression),
      common: common ? { values: new Set(common.values), near: expression(common.near) } : null,
    },
  ];
}

function compileProvider(rule: Rule, given: SecretProvider): CompiledSecret {
  const { provider, token, named, value, keywords, leads, entropy, allow, severity = rule.severity } = given;
  const regex = token === undefined ? assigned(named ?? "", value ?? "") : alone(token);
  return {
    rule,
    provider,
    severity,
    keywords,
    leads,
    regex: expression(regex),
    group: 1,
    entropy,
    allow: allow.map(expression),
    common: null,
  };
}

/** Nothing that could be part of it stands before or after it. */
const alone = (token: string): string => `(?:^|[^A-Za-z0-9_])(${token})(?:[^A-Za-z0-9_]|$)`;

/**
 * A name that contains the service's, and the value that it is given in code, settings or markup. What the name begins with is left out:
 * it may be anything, and counting its characters would take a state for each of them.
 */
const assigned = (named: string, value: string): string =>
  `(?i:(?:${named})[ \\t\\w.-]{0,20}[\\s'"]{0,3}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)[\\x60'"\\s=]{0,5})(${value})(?:[\\x60'"\\s;]|\\\\[nr]|$)`;
