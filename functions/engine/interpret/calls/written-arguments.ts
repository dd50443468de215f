import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { argumentsAt, holds, type Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { original } from "../guards/address-parts.ts";
import { writtenPrefix } from "../memory/memory-calls.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, arriving, joinTaint, nothing, type Taint, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { storeReceiver } from "./receivers.ts";

/** What a call writes into its arguments taints them as a whole. */
export function writeOutputs(run: Run, frame: Frame, call: Call, called: Called, subject: Subject): void {
  for (const output of called.models.outputs) {
    if (output.unless.some((test) => holds(frame, test, subject))) continue;
    const given = argumentsAt(subject, output.from).reduce<readonly Taint[]>((t, v) => joinTaint(t, allTaint(v)), []);
    const source = output.kind === null ? null : run.source(output.kind, call);
    const taint: readonly Taint[] = source ? [arriving(source, call)] : given;
    if (taint.length === 0) continue;
    for (const [i, { value }] of call.args.entries()) {
      if (!output.arguments.includes(i) && !output.arguments.includes("*")) continue;
      const known = called.positional[i] ?? nothing;
      if (i === output.from || isNumber(run, known)) continue;
      storeReceiver(run, frame, value, {
        ...known,
        constants: null,
        prefix: call.callee.kind === "variable" ? writtenPrefix(call.callee.name, called.positional) : null,
        taint: joinTaint(known.taint, taint),
      });
      if (run.language === "java") fillBehind(run, frame, value, taint);
      // `Uri.TryCreate(text, kind, out var address)`: what is tested of the address tells of the text.
      if (run.language === "csharp" && value.kind === "variable") frame.scope.origins.set(value.name, call);
    }
  }
}

/** `e.printStackTrace(new PrintWriter(text))`: what is written comes to what stands behind the writer. */
function fillBehind(run: Run, frame: Frame, writer: Expression, taint: readonly Taint[]): void {
  let here = original(frame, writer);
  for (let i = 0; i < behindMax && here.kind === "call" && here.isNew && wraps.test(lastName(here.callee)); i++) {
    const inner = here.args[0]?.value;
    if (!inner) return;
    const known = evaluate(run, frame, inner);
    storeReceiver(run, frame, inner, { ...known, constants: null, prefix: null, taint: joinTaint(known.taint, taint) });
    here = original(frame, inner);
  }
}

/** Buffers and encoders that streams stand behind. */
const behindMax = 3;
const wraps = /(Writer|OutputStream|PrintStream)$/;

/** A variable of Go that was declared as a number, or holds one, takes nothing else. */
const isNumber = ({ language, knowledge }: Run, { constants, paths }: Value): boolean =>
  language === "go" &&
  (paths.some((path) => knowledge.cleanTypes.has(path.replace("()", ""))) ||
    (constants !== null && constants.length > 0 && constants.every((c) => /^(number|boolean)$/.test(typeof c))));
