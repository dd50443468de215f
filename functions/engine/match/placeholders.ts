/**
 * What stands in a pattern for what is not code. Where the language's grammar takes `$X` as a name it is left as it is; elsewhere, and for
 * ellipses, a name that nobody writes takes its place so that the pattern can be parsed like any other code.
 */
export const ellipsisName = "SlcEllipsis__";
export const deepName = "SlcDeep__";
const namePrefix = "SlcMeta__";
const restPrefix = "SlcRest__";

const isWord = /^\w+$/;

export const metavariableStandIn = (name: string): string => namePrefix + name.slice(1);
export const restStandIn = (name: string): string => restPrefix + name;

/** `$X`, or null for ordinary code. `$_` is a metavariable that remembers nothing. */
export function metavariableIn(text: string): string | null {
  if (/^\$[A-Z_][A-Z0-9_]*$/.test(text) && !isSuperglobal(text)) return text;
  const name = text.replace(/^\$/, "");
  return name.startsWith(namePrefix) && isWord.test(name) ? `$${name.slice(namePrefix.length)}` : null;
}

/** PHP's own variables look like metavariables and are none. */
export const isSuperglobal = (name: string): boolean =>
  /^\$(_(GET|POST|REQUEST|COOKIE|FILES|SERVER|SESSION|ENV)|GLOBALS)$/.test(name);

/** What an ellipsis is called: "" for `...`, "$...ARGS" for one with a name, null for anything else. */
export function ellipsisIn(text: string): string | null {
  const name = text.replace(/^\$/, "").replace(/;$/, "");
  if (name === ellipsisName) return "";
  return name.startsWith(restPrefix) && isWord.test(name) ? `$...${name.slice(restPrefix.length)}` : null;
}

export const isStandIn = (word: string): boolean =>
  word === ellipsisName || word === deepName || word.startsWith(namePrefix) || word.startsWith(restPrefix);
