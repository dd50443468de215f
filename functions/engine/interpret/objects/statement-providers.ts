import type { FunctionNode } from "../../ir/ir.ts";
import { calleeOf } from "../calls/parameters.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";

/** Imported by its name or with all of the package. */
const provides = /^(org\.apache\.ibatis\.annotations\.)?(Select|Insert|Update|Delete)Provider$/;

/**
 * `@SelectProvider(type = OrderQueries.class, method = "find")`: MyBatis hands what the method of a mapper is given to a method of another
 * class, which writes the statement. Whoever calls the mapper calls that.
 */
export function noteProvider(run: Run, frame: Frame, fn: FunctionNode): void {
  if (run.language !== "java" || fn.body.length > 0) return;
  for (const decorator of fn.decorators) {
    if (decorator.kind !== "call" || !calleeOf(run, frame, decorator).paths.some((path) => provides.test(path)))
      continue;
    const given = (name: string | null) => decorator.args.find((arg) => arg.name === name)?.value;
    const type = given("type") ?? given("value") ?? given(null);
    const method = given("method");
    const [path] = type ? evaluate(run, frame, type).paths : [];
    const [name] = method ? (evaluate(run, frame, method).constants ?? []) : [fn.name];
    if (path !== undefined && typeof name === "string") run.alias(fn.name, `${path}.${name}`);
  }
}
