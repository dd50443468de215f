import type { Span } from "../../ir/ir.ts";
import { member } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { nothing, type Value } from "../value.ts";

/** What the sender says of a file; where it lies the server has decided. */
const sent = ["name", "full_path", "type"];

/** `$store->keep($_FILES["picture"])`: of a file that is handed on only what the sender says of it is input. */
export function asUploaded(run: Run, frame: Frame, value: Value, at: Span): Value {
  const isFile = value.taint.length === 0 && !value.slots && value.paths.some((path) => /^\$_FILES\.[^.]+$/.test(path));
  if (!isFile) return value;
  const entries = sent.flatMap((name): [string, Value][] => {
    const { taint } = member(run, frame, value, name, at);
    return taint.length === 0 ? [] : [[name, { ...nothing, taint }]];
  });
  return { ...value, slots: { shape: "map", entries: new Map(entries), rest: null } };
}
