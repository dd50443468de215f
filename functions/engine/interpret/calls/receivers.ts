import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath, hasOpenClasses, joined } from "../names.ts";
import { operateContainer } from "../objects/containers.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, joinTaint, type Value } from "../value.ts";

/** What a method has made of the object that it was called on. */
export function storeReceiver(run: Run, frame: Frame, of: Call["callee"], value: Value): void {
  const key = accessPath(of);
  if (key === null) {
    // `buffer + length` points into the buffer.
    if (of.kind === "operation" && of.operands[0]) writeInto(run, frame, of.operands[0], value);
    if (of.kind === "call" && storeInMap(run, frame, of, value)) return;
    // `sb.append(a).append(b)`: the chain's root is what changes.
    if (of.kind === "call" && of.callee.kind === "field" && !isModule(run, frame, of.callee.of))
      storeReceiver(run, frame, of.callee.of, value);
    return;
  }
  storeInField(run, frame, key, value);
  const owner = frame.scope.binding(key);
  if (owner && owner !== frame.scope) run.storeAround(owner, key, value);
  else frame.scope.set(owner ? key : asMember(run, frame, key), value);
}

/** `text.append(word)` of a field: what is done to it next is done to the field as well, which a variable of its name would hide. */
function asMember(run: Run, { owner, self }: Frame, key: string): string {
  const [name] = key.split(".", 1) as [string];
  const isField = hasOpenClasses(run.language) && (self?.instance ?? owner)?.fields.has(name);
  return isField ? joined("this", key) : key;
}

/** `this.parts.push(x)`, `parts.add(x)`: what is put into a list that the class has made is there for its other methods. */
export function storeInField(run: Run, { owner, self, fn, scope }: Frame, key: string, value: Value): void {
  const info = self?.instance ?? owner;
  if (!info || allTaint(value).length === 0) return;
  const isOpen = hasOpenClasses(run.language);
  const [of, name = "", ...more] = key.split(".") as [string, ...string[]];
  // `self::$parts[] = $x` of PHP is known by the class.
  const isOwn = of === "this" || of === fn?.receiver || (run.language === "php" && of === owner?.node.name);
  const field = more.length === 0 && isOwn ? name : key;
  const known = field === key && (!isOpen || scope.binding(key)) ? undefined : info.fields.get(field);
  // Stores and settings that somebody else has made are asked by keys, mostly for something else.
  if (known && (isOpen || known.slots)) run.storeField(info, field, value);
}

/** `parts.computeIfAbsent("to", …).add(x)`: what a map gives is what it keeps. */
function storeInMap(run: Run, frame: Frame, { callee, args: [key] }: Call, value: Value): boolean {
  if (callee.kind !== "field" || !key || !/^(get|getOrDefault|computeIfAbsent|setdefault)$/.test(callee.name))
    return false;
  const map = evaluate(run, frame, callee.of);
  if (map.slots?.shape !== "map") return false;
  const { receiver } = operateContainer("put", map, [evaluate(run, frame, key.value), value], new Map(), false);
  if (receiver) storeReceiver(run, frame, callee.of, receiver);
  return true;
}

/** What is written somewhere inside taints the whole. */
function writeInto(run: Run, frame: Frame, of: Call["callee"], { taint }: Value): void {
  const key = accessPath(of);
  const known = key === null ? undefined : frame.scope.binding(key)?.get(key);
  if (known)
    storeReceiver(run, frame, of, { ...known, constants: null, prefix: null, taint: joinTaint(known.taint, taint) });
}

/** `io.MultiWriter(file, hash)` is made by a module, which nothing can be written into. */
function isModule(run: Run, frame: Frame, of: Expression): boolean {
  if (of.kind !== "variable") return false;
  const module = run.modules.get(of.name);
  return module !== undefined && frame.scope.binding(of.name)?.get(of.name)?.paths.includes(module) === true;
}
