const words =
  /^(change[-_ ]?me|chang(e|ing)|example|sample|dummy|fake|mock|test(ing)?|secret|password|passw(or)?d|pass|pwd|token|api[-_]?key|key|foo(bar)?|bar|baz|none|null|nil|undefined|true|false|todo|fixme|default|admin|root|user(name)?|guest|demo|string|value|placeholder|redacted|removed|hidden|masked|empty|required|optional|unset|n\/a)$/i;
const marks =
  /^(test|sample|dummy|dev)([-_][a-z]+)+[-_]?[0-9]{0,4}[a-z]{0,3}$|example|placeholder|change[-_ ]?me|your[-_ ]|[-_ ]here\b|<[^<>]*>|\$\{|\{\{|%\(|\$\(|#\{|%s|\*{3}|x{6}|X{6}|\.\.\.|insert[-_ ]|replace[-_ ]|dummy|redacted|not[-_ ]?a[-_ ]?real|fake/i;

/** Values that stand for a secret without being one: documentation, templates, repeated characters, keyboard runs. */
export function isPlaceholder(value: string): boolean {
  const trimmed = value.trim();
  if (trimmed.length < 4 || words.test(trimmed) || marks.test(trimmed) || /^[Yy]our[A-Z]/.test(trimmed)) return true;
  if (/^(.)\1+$/s.test(trimmed) || new Set(trimmed).size <= 3) return true;
  if (/^(0123456789|1234567890?|123456|abcdef|qwerty)/i.test(trimmed) && trimmed.length < 24) return true;
  // `0123456789abcdef` as often as the length asks for.
  if (/^(0123456789abcdef|1234567890abcdef|0123456789|1234567890){2,8}[0-9a-f]{0,4}$/i.test(trimmed)) return true;
  // What is written in place of a value that is not shown: `__CENSORED__`.
  if (/^__[A-Z]+(_[A-Z]+)*__$/.test(trimmed)) return true;
  // A reference to where the secret is, not the secret.
  return /^(\$|%|@|env[.:]|process\.env|os\.environ|vault:|arn:|ssm:|file:|https?:\/\/[^:@/]+(\/|$))/i.test(trimmed);
}
