import type { Call, Expression } from "../ir/ir.ts";
import type { Frame } from "./run.ts";

const common = new Set(["commonpath", "commonprefix"]);

/** `commonpath([base, path])`, to be compared with the base: what it is asked about. */
export function pathsInCommon(expression: Expression): readonly Expression[] {
  if (expression.kind !== "call" || expression.callee.kind !== "field" || !common.has(expression.callee.name))
    return [];
  const [list] = expression.args;
  return list?.value.kind === "collection" ? list.value.entries.map((entry) => entry.value) : [];
}

/** `base in path.parents`: the path that lies below the base. */
export const childOfParents = (list: Expression): Expression | null =>
  list.kind === "field" && list.name === "parents" ? list.of : null;

const cuts = /^(splitext|getExtension|getFilenameExtension|extName|extname|r?split|r?partition|substring)$/;
const sameNames = /^(lower|upper|toLowerCase|toUpperCase|strip|trim|Path|PurePath)$/;

/** `x.rsplit(".", 1)[1].lower()`, `FilenameUtils.getExtension(x)`, also by way of variables: the name x that ends like this. */
export function nameOfExtension(frame: Frame, operand: Expression): Expression | null {
  let here = operand;
  for (let cut = false; ; ) {
    if (here.kind === "variable" && cut) return here;
    const next = here.kind === "variable" ? frame.scope.binding(here.name)?.origins.get(here.name) : partOf(here);
    if (!next) return cut ? here : null;
    cut ||= here.kind === "field" || (here.kind === "call" && cuts.test(calledName(here)));
    here = next;
  }
}

const calledName = ({ callee }: Call): string =>
  callee.kind === "field" || callee.kind === "variable" ? callee.name : "";

function partOf(here: Expression): Expression | null {
  if (here.kind === "index") return here.of;
  if (here.kind === "field") return here.name === "suffix" ? here.of : null;
  if (here.kind !== "call" || !(cuts.test(calledName(here)) || sameNames.test(calledName(here)))) return null;
  const { callee, args } = here;
  // Functions of a module take the name as an argument, methods of texts are the name's own.
  const given = /^(splitext|getExtension|getFilenameExtension|ext[Nn]ame|Path|PurePath)$/.test(calledName(here));
  return given ? (args[0]?.value ?? null) : callee.kind === "field" ? callee.of : null;
}
