import type { Expression } from "../ir/ir.ts";
import type { Run } from "./run.ts";

/** The identifier or text that a name, a call or a look-up ends in: `cfg.SkipVerify`, `config["debug"]`, `settings.get("insecure")`. */
const lastWord = /([\w-]+)["'`)\]]*$/;
/** Tests that are longer say more than one thing. */
const testMax = 120;

const debugging = /^_*(is_?|in_?|wp_?|app_?|php_?)?(debug|dev|devel|development)(_?(mode|enabled|ging|env\w*))?_*$/i;
const trusting =
  /insecure|self_?-?signed|(skip|no|disable|ignore|without|allow|accept|trust)\w*?[_-]?(verif|validat|tls|ssl|cert|host_?-?key|untrusted|invalid|unauthori[sz]ed|all_?(cert|host))/i;
const verifying =
  /^_*verify$|(ssl|tls|cert\w*|host|peer|https)_?-?(verif|valid|check)|(verif|validate|check|strict|reject)\w*?[_-]?(ssl|tls|cert|https|peer|host|unauthori[sz]ed)/i;

/** The fact that a setting has been asked for it and settles for what follows: what somebody chose, nobody else did. */
export function chosenBy(run: Run, test: Expression, outcome: boolean): string | null {
  if (test.end - test.start > testMax) return null;
  const [, word] = run.text.slice(test.start, test.end).match(lastWord) ?? [];
  if (word === undefined) return null;
  if (outcome && debugging.test(word)) return "development";
  // A plain variable may be a parameter, and some caller's constant.
  if (test.kind === "variable") return null;
  const trusts = trusting.test(word);
  return (outcome ? trusts : !trusts && verifying.test(word)) ? "trust-chosen" : null;
}
