import type { Families } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { addressOfHost, hostRead } from "./address-parts.ts";
import { change, innermost } from "./refined.ts";

/** `if urlparse(x).netloc:` fails: an address without a host stays where it is. */
export function withoutHost(run: Run, frame: Frame, test: Expression): void {
  const address = test.kind === "field" || test.kind === "variable" ? addressOfHost(frame, test) : null;
  if (address) changeAddress(run, frame, address, test);
}

/** `next[1] != '/'`: beside the test for the first slash, what tells a path from the name of a host. */
export function secondCharacterTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (left.kind !== "index" || left.key?.kind !== "literal" || left.key.value !== 1) return;
  const [character] = evaluate(run, frame, right).constants ?? [];
  if (character === "/") change(run, frame, left.of, run.catalogue.bitsOf(["open_redirect"]));
}

/** The host of an address is one that is allowed: the text that was parsed is harmless, and so is what came of it. */
export function changeAddress(
  run: Run,
  frame: Frame,
  address: Expression,
  host: Expression,
  families: Families = run.catalogue.bitsOf([
    "ssrf",
    "open_redirect",
    "permissive_cors",
    // What opens files of PHP opens addresses as well, and text that names a host is one.
    ...(run.language === "php" ? ["path_traversal", "file_inclusion"] : []),
  ]),
): void {
  change(run, frame, address, families);
  for (const parsed of parsedOf(frame, host)) change(run, frame, parsed, families);
}

/** `url.hostname = "origin.example.org"`: an address with a host of the application's own leads there, whatever else it says. */
export function hostReplaced(
  run: Run,
  frame: Frame,
  { of: address, name }: Extract<Expression, { kind: "field" }>,
  { paths }: Value,
  host: Value,
): void {
  if (run.language !== "javascript" || (name !== "hostname" && name !== "host") || host.taint.length > 0) return;
  if (paths.some((path) => path === "URL" || path === "url.URL"))
    change(run, frame, address, run.catalogue.bitsOf(["ssrf", "open_redirect"]));
}

/** `u` of `u.Hostname()`, also by way of a variable: what came of parsing the address. */
export function parsedOf(frame: Frame, host: Expression): readonly Expression[] {
  const here = hostRead(frame, host);
  // What a helper belongs to, `urls.hostOf(u)`, was not parsed.
  if (here.kind === "call" && here.args.length > 0) return [];
  const read = here.kind === "call" ? here.callee : here;
  return read.kind === "field" ? [read.of] : [];
}

/** `urlparse(x).hostname.endswith(".example.com")`; without the dot anybody can register a name that ends like this. */
export function subdomainTest(run: Run, frame: Frame, { callee, args }: Call): void {
  if (callee.kind !== "field") return;
  const [host, ending] = /^[eE]nds_?[wW]ith\??$/.test(callee.name)
    ? [callee.of, args[0]?.value]
    : callee.name === "HasSuffix"
      ? [args[0]?.value, args[1]?.value]
      : [];
  if (!host || !ending) return;
  if (!beginsWithDot(evaluate(run, frame, ending))) return;
  const address = addressOfHost(frame, innermost(host));
  if (address) changeAddress(run, frame, address, host);
  // An origin ends with the name of its host.
  else change(run, frame, host, run.catalogue.bitsOf(["permissive_cors"]));
}

/** `"." + name`, also where the name is one of several that are known. */
const beginsWithDot = ({ prefix, constants }: Value): boolean =>
  constants && constants.length > 0
    ? constants.every((text) => String(text).startsWith("."))
    : prefix?.startsWith(".") === true;
