import { remembered } from "../../catalogue/remembered.ts";
import type { Expression } from "../../ir/ir.ts";
import { hasOpenClasses } from "../names.ts";
import type { Frame, Run } from "../run.ts";

/** Tests that are longer say more than one thing. */
const testMax = 120;

const debugging =
  /^_*(is_?|in_?|has_?|wp_?|app_?|php_?)?(debug|dev|devel|development|local)(_?(mode|enabled|ging)){0,2}(_?env\w*)?_*$|^display_errors$/i;
/** `if (!env.IsProduction())`. */
const producing = /^_*(is_?|in_?)?prod(uction)?(_?mode)?$/i;
const trusting =
  /insecure|self_?-?signed|(disable|without|skip|^_*no)_?-?(https|ssl|tls)|(skip|no|disable|ignore|without|allow|accept|trust)\w*?[_-]?(verif|validat|tls|ssl|cert|host_?-?key|untrusted|invalid|unauthori[sz]ed|all_?(cert|host))/i;
const verifying =
  /^_*verify$|(ssl|tls|cert\w*|host|peer|https)_?-?(verif|valid|check)|(verif|validate|check|strict|reject)\w*?[_-]?(ssl|tls|cert|https|peer|host|unauthori[sz]ed)|^_*(use|is|enabled?|force|require)_?(https|ssl|tls)|(https|ssl|tls)_?(only|enabled?|on)_*$|secure_?cookies?_*$/i;
/** The name of a constant, which is set in one place for all. */
const constantName = /^_*[A-Z][A-Z0-9_]*$/;

/** What is asked for that is called like this. */
const asked = remembered((word: string) => ({
  debugs: debugging.test(word),
  serves: producing.test(word),
  trusts: trusting.test(word),
  verifies: verifying.test(word),
}));

/** The fact that a setting has been asked for it and settles for what follows: what somebody chose, nobody else did. */
export function chosenBy(run: Run, frame: Frame, test: Expression, outcome: boolean): string | null {
  if (test.end - test.start > testMax) return null;
  const word = lastWord(run.text, test);
  if (word === "") return null;
  const { debugs, serves, trusts, verifies } = asked(word);
  if (outcome ? debugs : serves) return "development";
  // A plain variable may be a parameter, and some caller's constant.
  if (test.kind === "variable" && !constantName.test(word) && !isOwnField(run, frame, test.name)) return null;
  return (outcome ? trusts : !trusts && verifies) ? "trust-chosen" : null;
}

/** Where fields need no `this`, what no function declares is a field of the object, which somebody has set up. */
const isOwnField = ({ language }: Run, { owner, scope }: Frame, name: string): boolean =>
  hasOpenClasses(language) && owner?.fields.has(name) === true && !scope.binding(name);

/** The identifier or text that a name, a call or a look-up ends in: `cfg.SkipVerify`, `config["debug"]`, `settings.get("insecure")`. */
function lastWord(text: string, { start, end }: Expression): string {
  let to = end;
  while (to > start && closing.has(text[to - 1] as string)) to--;
  let from = to;
  while (from > start && isWordPart(text.charCodeAt(from - 1))) from--;
  return text.slice(from, to);
}

const closing = new Set("\"'`()]?");

const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;
