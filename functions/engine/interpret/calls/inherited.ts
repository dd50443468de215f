import { lastSegment } from "../../catalogue/paths.ts";
import type { Call } from "../../ir/ir.ts";
import { accessPath, basePaths } from "../names.ts";
import { initialiserOf, memberOfInstance } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { named, nothing, type Value } from "../value.ts";
import { hasOverloads } from "./overloads.ts";

/** Classes above that another file has; which of several is meant is not asked. */
const basesMax = 3;

/** `super(x)`, `super.show(x)`, `super().show(x)`, `this(x)`: what a class has from others, or another constructor, run on the object itself. */
export function inheritedMember(run: Run, { owner, self }: Frame, callee: Call["callee"]): Value | null {
  if (!owner || !self) return null;
  if (hasOverloads.has(run.language) && callee.kind === "variable" && callee.name === "this") {
    const other = initialiserOf(owner);
    return other && { ...nothing, closures: [{ ...other, self }] };
  }
  const method = callee.kind === "field" ? callee.name : null;
  if (!isSuper(run, callee.kind === "field" ? callee.of : callee)) return null;
  for (const { type } of owner.bases) {
    const found =
      type && (method === null ? constructorOf(type) : memberOfInstance({ ...nothing, instance: type }, method));
    if (found) return boundTo(found, self);
  }
  // What another file has is known by the class that this one extends.
  const isAsked = method !== null || run.language === "javascript" || hasOverloads.has(run.language);
  const bases = isAsked ? basePaths({ ...nothing, type: owner }) : [];
  if (bases.length === 0) return null;
  return named(...bases.slice(0, basesMax).map((base) => `${base}.${method ?? "constructor"}`));
}

function constructorOf(type: NonNullable<Value["type"]>): Value | null {
  const found = initialiserOf(type);
  return found && { ...nothing, closures: [found] };
}

/** Python calls `super`; languages with a word for it name it. */
function isSuper({ language }: Run, of: Call["callee"]): boolean {
  const word = of.kind === "call" && language === "python" ? of.callee : of;
  return word.kind === "variable" && word.name === "super" && (word === of) !== (language === "python");
}

/** `Base.save(self, x)`: Python finds the method by its class and is handed the object as well. */
export function namesOwnClass(run: Run, frame: Frame, { callee, args }: Call): boolean {
  if (run.language !== "python" || callee.kind !== "field" || !frame.self) return false;
  const [first] = args;
  const name = lastSegment(accessPath(callee.of) ?? "");
  return /^_*[A-Z]/.test(name) && first?.value.kind === "variable" && first.value.name === frame.fn?.receiver;
}

export const boundTo = (called: Value, self: Value | null): Value => ({
  ...called,
  closures: called.closures.map((closure) => ({ ...closure, self })),
});
