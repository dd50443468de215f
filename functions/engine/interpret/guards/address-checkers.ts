import type { Families } from "../../catalogue/catalogue.ts";
import { calledName, lastName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { accessPath } from "../names.ts";
import type { Run } from "../run.ts";
import type { Guard, Outcome } from "../summary.ts";
import { cleaned, type Value } from "../value.ts";

/** What asks the name service where a host lies. Who compares nothing but names is deceived by any name that leads inside. */
const looksUp =
  /^(getaddrinfo|gethostbyname(_ex|l)?|getByName|getAllByName|LookupIP(Addr)?|LookupHost|LookupNetIP|GetHostAddresses(Async)?|dns_get_record)$/;
/** Asked by other services as well: what they are called on has to be the one for names of hosts. */
const maybeLooksUp = /^(lookup|resolve[46]?)$/;
const nameService = /dns|resolver/i;
/** What says whether an address lies in the own network, and lists of such addresses. */
const asksWhere =
  /^(is|are|in|not|contains|assert|check|ensure|validate|block|deny|reject)_?\w*(private|internal|loopback|reserved|link_?local|site_?local|unroutable|public|global|blocked|forbidden|disallowed|unsafe)|(private|internal|loopback|reserved|local|public|blocked|forbidden|disallowed|deny|block)_?(ip|addr|range|net|host|cidr|subnet|list)/i;
/** Files with such calls are few. */
const inFile =
  /\b(dns|lookup|getaddrinfo|gethostbyname|getAllByName|InetAddress|Lookup(IP|Host|NetIP)|GetHostAddresses)/i;
const known = new WeakMap<Run, boolean>();

function looksUpAny(run: Run): boolean {
  const answer = known.get(run) ?? inFile.test(run.text);
  known.set(run, answer);
  return answer;
}

/** `isInternalUrl(x)` is true of what has to be refused. */
const meansRefused = /private|internal|loopback|reserved|local|blocked|forbidden|disallowed|unsafe|dangerous|ssrf/i;

/** Longer functions do more than look at an address. */
const lengthMax = 6_000;

interface Checker {
  /** The places of the parameters that are looked up. */
  readonly params: ReadonlySet<number>;
  readonly outcomes: readonly Outcome[];
}

/**
 * Functions that look up where a host lies, and refuse what lies in the own network: how they tell the addresses apart, by numbers, masks
 * and prefixes, is more than following values can see.
 */
function checkerOf(run: Run, fn: FunctionNode): Checker | null {
  if (fn.params.length === 0 || fn.end - fn.start > lengthMax || !looksUpAny(run)) return null;
  const params = new Set<number>();
  let asks = false;
  let refuses = false;
  let isLookedUp = false;
  walk(fn.body, (node) => {
    if (!("kind" in node)) return;
    refuses ||= node.kind === "throw";
    asks ||= node.kind === "field" && asksWhere.test(node.name);
    if (node.kind !== "call") return;
    const name = calledName(node);
    const isLookup = looksUp.test(name) || (maybeLooksUp.test(name) && asksNameService(node));
    asks ||= asksWhere.test(name);
    isLookedUp ||= isLookup;
    if (!isLookup && !parses.test(name)) return;
    for (const variable of node.args.flatMap(({ value }) => variablesIn(value))) {
      const place = fn.params.findIndex((param) => param.name === variable);
      if (place >= 0) params.add(place);
    }
  });
  if (!asks || !isLookedUp || params.size === 0) return null;
  return { params, outcomes: refuses ? ["after", "true"] : [meansRefused.test(fn.name) ? "false" : "true"] };
}

const parses = /^(URL|parse|urlparse|urlsplit|URI|create|Parse|ParseRequestURI|parse_url)$/;

/** `dns.promises.lookup(host)`, `lookup(host)`: not `path.resolve(name)` or `plans.lookup(name)`. */
const asksNameService = ({ callee }: Call): boolean =>
  callee.kind === "field" ? nameService.test(accessPath(callee.of) ?? "") : lastName(callee) === "lookup";

function variablesIn(value: Expression): string[] {
  const names: string[] = [];
  walk([value], (node) => {
    if ("kind" in node && node.kind === "variable") names.push(node.name);
  });
  return names;
}

/** Notes what callers may believe of the addresses that they have had checked, and what is given back of one that was. */
export function checkedAddress(run: Run, fn: FunctionNode, guard: Guard, given: Value): Value {
  const checker = checkerOf(run, fn);
  if (!checker) return given;
  const families: Families = run.catalogue.bitsOf(["ssrf"]);
  for (const outcome of checker.outcomes) {
    const before = guard[outcome];
    guard[outcome] = fn.params.map((_, i) => (before?.[i] ?? 0) | (checker.params.has(i) ? families : 0));
  }
  return checker.outcomes.includes("after") ? cleaned(given, families) : given;
}
