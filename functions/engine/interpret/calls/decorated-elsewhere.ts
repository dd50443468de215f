import type { FunctionNode, Parameter } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { givenBy } from "../names.ts";
import { fieldOf } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { arriving, type Taint } from "../value.ts";
import { partOfCallBack, placesMax } from "./callbacks.ts";
import { targetOf } from "./handover.ts";

/** Decorators of one function that other files define; who has more is decorated by a machine. */
const decoratorsMax = 4;

/** `@with_account` of another file calls what it decorates with what it has found out: `return view(account, *args, **kwargs)`. */
export function givenByDecorators(run: Run, frame: Frame, fn: FunctionNode, index: number): Taint[] {
  const param = fn.params[index] as Parameter;
  if (run.language !== "python" || fn.decorators.length === 0 || index >= placesMax || param.rest) return [];
  // A method is called with its object first.
  const place = fn.receiver === null ? index : index + 1;
  return decoratorsElsewhere(run, frame, fn).flatMap((target) =>
    [place, param.name].map((argument) => {
      const given = run.outside(`${target}${fieldOf}${partOfCallBack(0, argument)}`, param);
      return arriving(given, param);
    }),
  );
}

function decoratorsElsewhere(run: Run, frame: Frame, { decorators }: FunctionNode): string[] {
  return decorators.slice(0, decoratorsMax).flatMap((decorator) => {
    const called = decorator.kind === "call" ? decorator.callee : decorator;
    if (called.kind !== "variable" && called.kind !== "field") return [];
    const { paths, closures } = evaluate(run, frame, called);
    const target = closures.length === 0 ? targetOf(run, null, paths) : null;
    if (target === null) return [];
    // `@with_account("owner")`: what gives the decorator is no decorator itself.
    return decorator.kind === "call" ? givenBy(target) : target;
  });
}
