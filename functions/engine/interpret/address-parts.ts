import type { Expression } from "../ir/ir.ts";
import type { Frame } from "./run.ts";

const hostNames = /^(host|hostname|origin|netloc|getHost|getAuthority|Host|Hostname)$/;
const parsers = /^(URL|parse|urlparse|urlsplit|URI|create|Parse|parse_url|url_parse)$/;

/** `new URL(x).hostname`, also by way of variables: the address x whose host this is. */
export function addressOfHost(frame: Frame, operand: Expression): Expression | null {
  const here = original(frame, operand);
  const read = here.kind === "call" && here.args.length === 0 ? here.callee : here;
  if (read.kind !== "field" || !hostNames.test(read.name)) return null;
  const parsed = original(frame, read.of);
  if (parsed.kind !== "call") return null;
  const { callee } = parsed;
  const name = callee.kind === "field" || callee.kind === "variable" ? callee.name : "";
  return parsers.test(name) && parsed.args[0] ? joinedTo(parsed.args[0].value) : null;
}

/** `urljoin(base, x)` lies where x says. */
function joinedTo(address: Expression): Expression {
  if (address.kind !== "call") return address;
  const { callee, args } = address;
  const name = callee.kind === "field" || callee.kind === "variable" ? callee.name : "";
  return name === "urljoin" && args[1] ? args[1].value : address;
}

/** What a variable was declared as. */
function original(frame: Frame, operand: Expression): Expression {
  if (operand.kind !== "variable") return operand;
  return frame.scope.binding(operand.name)?.origins.get(operand.name) ?? operand;
}
