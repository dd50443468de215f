import type { Call, Expression } from "../../ir/ir.ts";
import type { Lowering } from "../lowering.ts";

const pair = /\[\s{0,40}([A-Za-z_$][\w$]{0,80})\s{0,40},\s{0,40}set([A-Z][\w$]{0,80})\s{0,40},?\s{0,40}\]\s{0,40}=/g;
const known = new WeakMap<Lowering, ReadonlySet<string>>();

/** The names of a file that are declared beside their setters, like `open` in `const [open, setOpen] = useState(false)`. */
function statesOf(l: Lowering): ReadonlySet<string> {
  const states =
    known.get(l) ??
    new Set([...l.text.matchAll(pair)].flatMap(([, name, set]) => (stateOf(set ?? "") === name ? [name] : [])));
  known.set(l, states);
  return states;
}

const stateOf = (setter: string): string => `${setter.charAt(0).toLowerCase()}${setter.slice(1)}`;

/** `setOpen(x)`: what the setter is called with is what the name beside it stands for from then on. Null for all other calls. */
export function stateSet(l: Lowering, call: Call): Expression | null {
  const { callee, start, end } = call;
  const [argument, ...others] = call.args;
  if (callee.kind !== "variable" || !argument || others.length > 0 || argument.value.kind === "closure") return null;
  const name = callee.name.startsWith("set") ? stateOf(callee.name.slice(3)) : "";
  if (!name || !statesOf(l).has(name)) return null;
  const to: Expression = { start: callee.start, end: callee.end, kind: "variable", name };
  const assign: Expression = { start, end, kind: "assign", to, from: argument.value, type: null, declares: false };
  return { start, end, kind: "sequence", parts: [assign, call] };
}
