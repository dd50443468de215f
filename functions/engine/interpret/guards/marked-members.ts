import { remembered } from "../../catalogue/remembered.ts";
import type { Expression } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { change } from "./refined.ts";

/** What functions that others may call by their name are marked with. */
const marks = remembered((name) =>
  /expos|allow|public|permit|white_?list|callable|publish|export|remote|rpc|route|command|server_?(fn|func|method)|^_*(is_)?(api|action)|_(api|action)_*$/i.test(
    name,
  ),
);

/** `if not method.exposed: raise ...`: what was found by a name that came in and carries the mark was meant to be called like this. */
export function markTest(run: Run, frame: Frame, test: Expression): void {
  if (run.language !== "python" || test.kind !== "field" || !marks(test.name)) return;
  change(run, frame, test.of, run.catalogue.bitsOf(["code_injection"]));
}
