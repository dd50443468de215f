import type { Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { constant } from "../value.ts";
import { change } from "./refined.ts";

/** What ends a command, starts another one in it or stands for something else. */
const ofShells: ReadonlySet<string> = new Set(";|&$`\n");
/** Stands before the name of a text of which some of these are known to be missing. */
const missingFrom = "@without:";

/**
 * `strings.Contains(name, ";")` does not hold, nor do the tests for all else that means something to a shell, in one condition or one after
 * the other: what is left are the words that the command was meant to have. One that is forgotten is enough for an attack.
 */
export function withoutCharacters(run: Run, frame: Frame, operand: Expression, needle: Expression, any = false): void {
  const { constants } = evaluate(run, frame, needle);
  const [text] = constants?.length === 1 ? constants : [];
  if (typeof text !== "string" || (text.length !== 1 && !any)) return;
  const found = [...text].filter((character) => ofShells.has(character));
  const path = found.length > 0 ? accessPath(operand) : null;
  if (path === null) return;
  const known = frame.scope.get(`${missingFrom}${path}`)?.constants;
  const missing = new Set([...(known?.length === 1 ? String(known[0]) : ""), ...found]);
  frame.scope.set(`${missingFrom}${path}`, constant([...missing].join("")));
  if (missing.size === ofShells.size) change(run, frame, operand, run.catalogue.bitsOf(["command_injection"]));
}
