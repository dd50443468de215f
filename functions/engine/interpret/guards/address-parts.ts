import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { cleaned, type Value } from "../value.ts";
import { innermost } from "./refined.ts";

const hostNames = /^(host|hostname|origin|netloc|getHost|getAuthority|Host|Hostname|host_str)$/;
const parsers = /^(URL|parse|urlparse|urlsplit|URI|Uri|create|Parse|TryCreate|parse_url|url_parse)$/;

/** `new URL(x).hostname`, also by way of variables: the address x whose host this is. */
export function addressOfHost(frame: Frame, operand: Expression): Expression | null {
  const here = hostRead(frame, operand);
  if (here.kind === "call" && isHostOf(here)) return here.args[0]?.value ?? null;
  if (here.kind === "call" && givesHost(here)) return here.args[0]?.value ?? null;
  const read = here.kind === "call" && here.args.length === 0 ? here.callee : here;
  if (!(read.kind === "field" && hostNames.test(read.name)) && !(read.kind === "index" && isHostKey(read.key)))
    return null;
  const isParsed = (read.kind === "field" && read.name === "host_str") || isGivenParsed(frame, read.of);
  return textOfParsed(frame, read.of) ?? (isParsed ? read.of : null);
}

/** Where a host was read, by way of variables and of what leaves it the same host. */
export const hostRead = (frame: Frame, operand: Expression): Expression =>
  innermost(plainHost(innermost(held(original(frame, operand)))));

/** `url.hostname.replace(/^\[/, "").replace(/\]$/, "")`: the host, without the marks that stand around it. */
function plainHost(host: Expression): Expression {
  let here = host;
  for (let i = 0; i < marksMax && here.kind === "call" && takesMarks(here); i++)
    here = (here.callee as Extract<Expression, { kind: "field" }>).of;
  return here;
}

/** An opening bracket, a closing one, the dot at the end and what stands before the name of a site. */
const marksMax = 4;
const aroundHost = /^(\^?\\?\[|\\?\]\$?|\^\\?\[\|\\?\]\$|\[\\?\[\\?\]\]|\\\.\$|\^www\\?\.)$/;

function takesMarks({ callee, args: [marks, nothing] }: Call): boolean {
  if (callee.kind !== "field" || !/^replace(All)?$/.test(callee.name)) return false;
  if (marks?.value.kind !== "literal" || nothing?.value.kind !== "literal" || nothing.value.value !== "") return false;
  return aroundHost.test(String(marks.value.value));
}

/** The text that was parsed as an address, also by way of a variable. */
export function textOfParsed(frame: Frame, operand: Expression): Expression | null {
  const parsed = held(original(frame, operand));
  if (parsed.kind !== "call") return null;
  const name = lastName(parsed.callee);
  // `let address: Url = text.parse()?`
  if (name === "parse" && parsed.callee.kind === "field" && parsed.args.length === 0) return parsed.callee.of;
  return parsers.test(name) && parsed.args[0] ? joinedTo(parsed.args[0].value) : null;
}

/** A helper is given what its caller has parsed: `func allowed(u *url.URL) bool`. */
function isGivenParsed({ fn }: Frame, operand: Expression): boolean {
  const param = operand.kind === "variable" && fn?.params.find(({ name }) => name === operand.name);
  return param ? addressType.test(lastSegment(param.type ?? "")) : false;
}

const addressType = /^(URL|URI|Url|Uri)$/;

/** `parse_url($x, PHP_URL_HOST)` */
const isHostOf = ({ callee, args: [, part] }: Call): boolean =>
  callee.kind === "variable" &&
  callee.name === "parse_url" &&
  part?.value.kind === "variable" &&
  part.value.name === "PHP_URL_HOST";

/** `getHostName(x)`, `urls.domain_of(x)`: a helper that is called after what it takes out of an address is taken at its word. */
const givesHost = ({ callee, args }: Call): boolean =>
  args.length === 1 &&
  namesHost(callee.kind === "variable" || callee.kind === "field" ? callee.name : "") &&
  !namesRequest(lastSegment(accessPath(args[0]?.value as Expression) ?? ""));

const namesHost = remembered((name) =>
  /^_*(get|extract|parse|read)?_?(url|uri)?_?(host|host_?name|domain|domain_?name|netloc)_?((of|from|for)_?)?(url|uri|link)?$/i.test(
    name,
  ),
);
/** The host of a request is the one that was asked, and says nothing of what else it brings. */
const namesRequest = remembered((name) => /^(req|request|ctx|context|exchange|event)$/i.test(name));

/** `parse_url($x)['host']` */
const isHostKey = (key: Expression | null): boolean => key?.kind === "literal" && key.value === "host";

/** `urljoin(base, x)` lies where x says. */
function joinedTo(address: Expression): Expression {
  if (address.kind !== "call") return address;
  const { callee, args } = address;
  const name = lastName(callee);
  return name === "urljoin" && args[1] ? args[1].value : address;
}

/** What a variable was declared as. */
export function original(frame: Frame, operand: Expression): Expression {
  if (operand.kind !== "variable") return operand;
  return frame.scope.binding(operand.name)?.origins.get(operand.name) ?? operand;
}

/** What a result of Rust holds: `Url::parse(x).map_err(refused)`. */
function held(result: Expression): Expression {
  let here = result;
  while (here.kind === "call" && here.callee.kind === "field" && unwraps.test(here.callee.name)) here = here.callee.of;
  return here;
}

const unwraps = /^(unwrap|expect|map_err|ok|ok_or|ok_or_else)$/;

/**
 * `${base}?q=${x}`, `address += "?" + x`, `${base}db/${x}`: what follows the question mark, or the name of a folder, cannot say where an
 * address leads, whoever decides on what stands before it.
 */
export function afterHost(run: Run, parts: readonly Value[]): readonly Value[] {
  const end = parts.findIndex((part) => beginsQuery(part) || namesFolder(part));
  if (end < 0 || end === parts.length - 1) return parts;
  const addresses = run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  return parts.map((part, i) => (i > end && part.taint.length > 0 ? cleaned(part, addresses) : part));
}

/** `("&" if "?" in path else "?")` begins a query, or goes on with one. */
const beginsQuery = ({ constants }: Value): boolean =>
  constants?.some((text) => String(text).includes("?")) === true &&
  constants.every((text) => /[?&]/.test(String(text)));

const namesFolder = ({ constants }: Value): boolean =>
  constants?.every((text) => typeof text === "string" && folder.test(text)) === true;

/** No scheme and no lone slash, behind which a host may stand. */
const folder = /[\w-]\/(?!\/)/;

const hole = /%[-+ #0-9.*]*[a-zA-Z]|%\(\w*\)[a-z]/;

/** `"%s?q=%s" % (base, x)`, `"%s/db/%s" % (base, x)`: the same of what fills the holes of a format. */
export function holesAfterHost(run: Run, format: string, args: readonly Value[]): readonly Value[] {
  const end = format.split(hole).findIndex((text) => text.includes("?") || folder.test(text));
  if (end < 0) return args;
  const addresses = run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  return args.map((arg, i) => (i >= end && arg.taint.length > 0 ? cleaned(arg, addresses) : arg));
}
