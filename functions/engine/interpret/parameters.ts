import type { EntryPoint } from "../catalogue/catalogue.ts";
import type { FunctionNode, Parameter } from "../ir/ir.ts";
import { receiverFits } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { typedAs } from "./names.ts";
import type { Frame, Run } from "./run.ts";
import { firstStep, nothing, type Taint, type Value } from "./value.ts";

/** An unknown argument: it stands for whatever callers pass, and for what a framework is known to pass. */
export function parameterValue(
  run: Run,
  frame: Frame,
  fn: FunctionNode,
  index: number,
  entry: EntryPoint | null,
): Value {
  const param = fn.params[index] as Parameter;
  const symbolic: Taint = {
    source: run.source("parameter", param, 1, { fn, index }),
    clean: 0,
    step: firstStep(param),
  };
  const passed = entry && index >= entry.parameters.length ? passedKind(fn, param, entry) : null;
  const kind = decoratedKind(run, frame, param) ?? passed;
  const type = entry?.parameters[index];
  const taint: Taint[] = kind
    ? [symbolic, { source: run.source(kind, param, entry?.confidence ?? 1), clean: 0, step: firstStep(param) }]
    : [symbolic];
  const declared = typedAs(run, frame, param.type);
  const fallback = param.default ? evaluate(run, frame, param.default) : nothing;
  return {
    ...declared,
    closures: fallback.closures,
    paths: [...(type ? [type] : []), ...declared.paths, `?${param.name}`],
    taint,
  };
}

function decoratedKind(run: Run, frame: Frame, param: Parameter): string | null {
  for (const decorator of param.decorators) {
    const callee = evaluate(run, frame, decorator.kind === "call" ? decorator.callee : decorator);
    for (const path of callee.paths) {
      const [kind] = run.knowledge.parameterDecorators.find(path);
      if (kind) return kind;
    }
  }
  return null;
}

/** The framework that calls a function, known by its decorators or by what its parameters are called. */
export function entryOf(run: Run, frame: Frame, fn: FunctionNode): EntryPoint | null {
  for (const decorator of fn.decorators) {
    const callee = evaluate(run, frame, decorator.kind === "call" ? decorator.callee : decorator);
    const found = callee.paths.flatMap((path) => run.knowledge.entryDecorators.find(path));
    const fits = found.find((entry) => !entry.receiver || receiverFits(entry.receiver, callee.paths));
    if (fits) return fits;
  }
  return (
    run.knowledge.entryNames.find((entry) =>
      entry.names.every((options, i) => options.includes(fn.params[i]?.name ?? "")),
    ) ?? null
  );
}

/** What a framework passes in a parameter. From the path of a route come its placeholders only, and converted ones are harmless. */
function passedKind(fn: FunctionNode, param: Parameter, entry: EntryPoint): string | null {
  if (entry.others !== "http-path") return entry.others;
  const routes = fn.decorators.flatMap((d) => (d.kind === "call" && d.args[0] ? [d.args[0].value] : []));
  if (routes.some((route) => route.kind !== "literal")) return entry.others;
  const holes = routes.flatMap((route) => [
    ...String(route.kind === "literal" ? route.value : "").matchAll(/<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>/g),
  ]);
  const hole = holes.find(([, , name]) => name === param.name);
  return hole && !["int", "float", "uuid"].includes(hole[1] ?? "") ? entry.others : null;
}
