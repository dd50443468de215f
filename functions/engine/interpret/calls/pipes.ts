import type { Parameter } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { namesClass } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { targetOf } from "./handover.ts";

/** What a pipe does to what comes in, before the method is called with it. */
const transforming = "transform";

/** `@Query("name", NamePipe)`, `@Param("id", new IdPipe())`: what a framework passes has been through the pipes of other files that stand with it. */
export function throughPipes(run: Run, frame: Frame, { decorators }: Parameter, value: Value): Value {
  if (run.language !== "javascript" || value.taint.length === 0) return value;
  const given = decorators.flatMap((decorator) => (decorator.kind === "call" ? decorator.args : []));
  const pipes = given.flatMap(({ value: pipe }) =>
    pipe.kind === "variable" || (pipe.kind === "call" && pipe.isNew)
      ? (pipeOf(run, frame, evaluate(run, frame, pipe)) ?? [])
      : [],
  );
  return pipes.reduce(
    (passed, pipe) => through(passed, { target: pipe, argument: 0, check: "result", trusted: false }),
    value,
  );
}

/** The method of a class of another file by which it is a pipe. */
function pipeOf(run: Run, frame: Frame, { paths, closures }: Value): string | null {
  const classes = paths.map((path) => path.replaceAll("()", "")).filter(namesClass);
  return closures.length > 0
    ? null
    : targetOf(
        run,
        frame,
        classes.map((path) => `${path}.${transforming}`),
      );
}
