const scheme = /^(?:\^|\\A)?https?\??:(?:\\?\/){2}/;
/** A name that somebody has registered, and with it all that stands in front of it. */
const registered = /^(?:\)[?*+]?)?[\w-]+$/;
/** The end of the name, also with a port. */
const topLevel = /^[a-z]{2,}(?::\d+|\(?:?\\d\+\)?|\((?:\?:)?:(?:\d+|\\d\+)\)\??)?$/i;
/** What may stand before it: no dot that matches anything, nothing that is negated, and nothing that ends the name of a host. */
const inFront = /^(?:[\w|()?:*+{},[\]-]|\\[wd-])*$/;

/**
 * What matches leads to a host that the pattern names in full: `^https:\/\/(\w+\.)?example\.com\/`. Where nothing ends the name, anybody
 * can register one that begins like it.
 */
export function namesHost(pattern: string, whole: boolean, fromStart: boolean): boolean {
  const begins = pattern.match(scheme)?.[0];
  if (begins === undefined || !(whole || fromStart || /^(\^|\\A)/.test(pattern)) || hasAlternatives(pattern))
    return false;
  const rest = pattern.slice(begins.length);
  const end = rest.search(/[/$]|\\[zZ]/);
  if (end < 0) return false;
  const host = rest.slice(0, end).replace(/(?:\((?:\?:)?)?(?:\[)?\\?$/, "");
  return namesIn(host).every(isRegistered);
}

/** `(a\.example\.com|b\.example\.org)`: each of them. */
function namesIn(host: string): readonly string[] {
  const inner = host.match(/^\((?:\?:)?([^()]*)\)$/)?.[1];
  return inner === undefined ? [host] : inner.split("|");
}

function isRegistered(host: string): boolean {
  const labels = host.split("\\.");
  const last = labels.pop() ?? "";
  const name = labels.pop();
  return name !== undefined && topLevel.test(last) && registered.test(name) && labels.every((one) => inFront.test(one));
}

/** What is left of an alternation once its groups are taken away decides between whole patterns. */
const hasAlternatives = (pattern: string): boolean => pattern.replace(/\\.|\([^()]*\)/g, "").includes("|");
