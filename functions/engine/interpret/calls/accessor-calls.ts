import type { Call, Expression } from "../../ir/ir.ts";
import { propertyOf, propertySetBy } from "../objects/accessors.ts";
import { member, memberOfInstance } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { isChecked } from "../validators/checked-records.ts";
import type { Value } from "../value.ts";
import type { Called } from "./called.ts";
import { storeReceiver } from "./receivers.ts";

/** `item.setTitle(title)`: a bean of another file keeps its properties under the names that its getters go by. */
export function fillBean(
  run: Run,
  frame: Frame,
  { callee }: Call,
  { positional: [given, ...more], receiver, target, models }: Called,
) {
  if (run.language !== "java" || target === null || callee.kind !== "field" || more.length > 0) return;
  const property = propertySetBy(callee.name);
  if (!given || !receiver || property === null || receiver.slots?.shape === "list") return;
  // What models know of is no bean, and what it settles has been noted.
  if (models.facts.length > 0) return;
  // `page.getSettings().setCache(on)` fills what the page gives, not the page.
  if (callee.of.kind === "call") return;
  const entries = new Map(receiver.slots?.entries).set(property, given);
  storeReceiver(run, frame, callee.of, { ...receiver, slots: { shape: "map", entries, rest: null } });
}

/** Records, and classes that Lombok completes, have accessors which nobody writes: `query.text()`, `filter.getName()`. */
export function accessed(run: Run, frame: Frame, { callee, args }: Call, receiver: Value | null): Value | null {
  if (run.language === "python") return receiver && askedField(run, frame, callee, args, receiver);
  if (run.language !== "java" || callee.kind !== "field" || args.length > 0 || !receiver?.instance) return null;
  const field = propertyOf(callee.name);
  return memberOfInstance(receiver, field) ? member(run, frame, receiver, field, callee) : null;
}

/** `form.cleaned_data.get("year")` reads what the class of the form declares. */
function askedField(run: Run, frame: Frame, callee: Expression, args: Call["args"], receiver: Value): Value | null {
  if (callee.kind !== "field" || !/^(get|pop)$/.test(callee.name) || receiver.taint.length === 0) return null;
  const key = args[0]?.value.kind === "literal" ? args[0].value.value : null;
  if (typeof key !== "string" || !(receiver.instance || isChecked(run, receiver))) return null;
  return member(run, frame, receiver, key, callee);
}
