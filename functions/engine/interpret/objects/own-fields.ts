import type { Run } from "../run.ts";
import type { ClassInfo, Value } from "../value.ts";
import { initialiserOf, lineageOf } from "./members.ts";

/** What one object has in fields that nothing but constructors assigns; of other fields the class knows what any of its objects has. */
export function ownFields(run: Run, info: ClassInfo, made: ReadonlyMap<string, Value>): Value["own"] {
  const makers = lineageOf(info).flatMap((type) => initialiserOf(type)?.fn ?? []);
  const isFinal = (name: string): boolean =>
    run
      .assignmentsOf(run.language === "php" ? name.slice("$".length) : name)
      .every((at) => makers.some(({ start, end }) => start < at && at < end));
  const own = [...made].filter(([name, value]) => isPlain(run, value) && isFinal(name));
  return own.length === 0 ? null : new Map(own);
}

/** What is no text may change while it stays where it is; arrays of PHP, which input comes in, are copies. */
const isPlain = ({ language }: Run, { taint, constants, slots, closures, instance, type, paths }: Value): boolean =>
  (taint.length > 0 || constants !== null) &&
  !slots &&
  closures.length === 0 &&
  !instance &&
  !type &&
  (paths.every((path) => path.startsWith("?")) || (language === "php" && taint.length > 0));
