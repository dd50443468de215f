import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, nothing, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { handOver, targetOf } from "./handover.ts";
import { invoke } from "./invoke.ts";

/** What elements of pages are lowered to, see lower/javascript/jsx.ts. */
const element = "jsx";

/** `<Card text={text} />` calls `Card({ text })`, in this file or another. */
export function renderComponent(run: Run, frame: Frame, call: Call, { named }: Called): void {
  if (run.language !== "javascript" || call.callee.kind !== "variable" || call.callee.name !== element) return;
  const component = componentOf(call);
  if (!component || ![...named.values()].some((value) => allTaint(value).length > 0)) return;
  const { closures, paths } = evaluate(run, frame, component);
  const properties: Value = { ...nothing, slots: { shape: "map", entries: named, rest: null } };
  for (const closure of closures) invoke(run, frame, closure, [properties], new Map(), call);
  const target = closures.length > 0 ? null : targetOf(run, frame, paths);
  if (target !== null) handOver(run, target, [properties], new Map(), call);
}

/** The name of an element that is no tag of HTML: `Card`, `Ui.Card`. */
function componentOf({ args: [tag] }: Call): Expression | null {
  const name = tag?.value.kind === "literal" ? String(tag.value.value) : "";
  if (!tag || !/^[A-Z][\w$]*(\.[\w$]+)?$/.test(name)) return null;
  const { start, end } = tag.value;
  const [first, ...parts] = name.split(".") as [string, ...string[]];
  return parts.reduce<Expression>((of, part) => ({ start, end, kind: "field", of, name: part }), {
    start,
    end,
    kind: "variable",
    name: first,
  });
}
