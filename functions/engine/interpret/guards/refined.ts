import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { forgetMaking } from "../file-making.ts";
import { accessPath, askedPath, elementPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { cleaned, nothing, type Step, stepsMax, type Taint, type Value } from "../value.ts";
import { foldersOf, pathsBefore, pathsMadeOf } from "./path-parts.ts";
import { notePrefixed } from "./prefixed.ts";

export function change(run: Run, frame: Frame, tested: Expression, families: Families): void {
  // `in_array($sort = $_GET["sort"], $known)`: assigning once more would undo what the test tells.
  const operand = tested.kind === "assign" ? tested.to : tested;
  const value = evaluate(run, frame, operand);
  const inner = innermost(operand);
  // A prefix test counts only on a path in its shortest form.
  if (
    families !== allFamilies &&
    (families & run.catalogue.bitsOf(["path_traversal"])) !== 0 &&
    isPrefixOnly(families, run)
  ) {
    const normal =
      value.taint.length > 0 && value.taint.every((t) => (t.clean & run.catalogue.bitsOf(["normalised"])) !== 0);
    if (!normal) {
      notePrefixed(frame, operand, value);
      return;
    }
  }
  if (families !== allFamilies && (families & run.catalogue.bitsOf(["path_traversal"])) !== 0) {
    forgetMaking(run, value);
    const longer = pathsBefore(frame, operand);
    // `new File(folder, entry.getName())` is made of what a getter gives, and it gives the same again.
    for (const path of longer)
      if (accessPath(path) !== null || (path.kind === "call" && askedPath(path) !== null)) {
        const before = evaluate(run, frame, path);
        forgetMaking(run, before);
        store(frame, path, cleaned(before, families));
      }
    // That a folder lies in another says nothing of the names in it.
    const made = value.taint.length > 0 ? pathsMadeOf(frame, operand) : [];
    for (const name of [...made, ...[operand, ...longer].flatMap((path) => foldersOf(frame, path))]) {
      const known = frame.scope.get(name);
      if (known) frame.scope.set(name, cleaned(known, families));
    }
  }
  // `$id = $_POST["id"]; if (!is_numeric($id)) exit;` speaks about the element as well.
  const element = run.language === "php" && inner.kind === "variable" ? frame.scope.origins.get(inner.name) : undefined;
  if (element?.kind === "index") store(frame, element, cleaned(evaluate(run, frame, element), families));
  if (/^(php|java)$/.test(run.language) && families === allFamilies && inner.kind === "variable")
    cleanMadeOf(frame, inner.name, evaluate(run, frame, inner));
  const asked = inner === operand ? value : evaluate(run, frame, inner);
  store(frame, inner, cleaned(toldBefore(frame, inner) ?? asked, families));
}

/** One call is asked several things in a row, and recalling it gives what it gave before the first of them. */
function toldBefore(frame: Frame, asked: Expression): Value | undefined {
  const key = asked.kind === "call" ? askedPath(asked) : null;
  return key === null ? undefined : frame.scope.get(key);
}

/** `$file = "pages/$name.php"; if (!in_array($name, $known)) exit;`: what was made of the name before it was tested is harmless with it. */
function cleanMadeOf(frame: Frame, name: string, { taint }: Value): void {
  // Ways that have become too long to be told apart say nothing.
  const tested = new Set(taint.map(({ step }) => step).filter(({ length }) => length < stepsMax));
  const isMade = ({ step }: Taint): boolean => {
    for (let at: Step | null = step; at; at = at.parent) if (tested.has(at)) return true;
    return false;
  };
  for (const [other, value] of frame.scope.variables ?? [])
    if (other !== name && value.taint.some(isMade)) {
      const left = value.taint.map((each) => (isMade(each) ? { ...each, clean: allFamilies } : each));
      frame.scope.set(other, { ...value, taint: left });
    }
}

/** What lies below a folder: believed of a path in its shortest form. */
export const below = (run: Run): Families => run.catalogue.bitsOf(["path_traversal", "file_inclusion", "normalised"]);

/** Guards that list `normalised` beside path_traversal ask for a normalised operand. */
const isPrefixOnly = (families: Families, run: Run): boolean => (families & run.catalogue.bitsOf(["normalised"])) !== 0;

/** What gives the same text, as far as a comparison is concerned. */
const sameText =
  /^(to(Lower|Upper)Case|lower(case)?|upper(case)?|strip|trim|toString|as_(str|ref|deref)|to_(string|lowercase|uppercase)|clone|components|chars)$/;

/** `name.replace("_", "").isalnum()`, `order.lstrip("-") in columns`: what is taken out before the question does no harm either. */
function takesHarmless(name: string, args: Call["args"]): boolean {
  const [taken, put] = args.map(({ value }) => (value.kind === "literal" ? value.value : null));
  if (typeof taken !== "string" || !/^[\w .,:@+-]+$/.test(taken)) return false;
  return /^[lr]strip$/.test(name) || (/^(replace|replaceAll|ReplaceAll|Replace)$/.test(name) && put === "");
}

/** The same by functions; a path is its text, and a character its code. */
const sameTextAs = /^((mb_)?strto(lower|upper)|trim|strval|str|String|fspath|rune)$/;

/** `x.toLowerCase() in allowed` speaks about x. */
export function innermost(operand: Expression): Expression {
  let here = operand;
  for (;;) {
    // `name or ""`: what is tested is the name, or nothing.
    const [first, other] = here.kind === "operation" && /^(or|\|\||\?\?)$/.test(here.operator) ? here.operands : [];
    if (first && other?.kind === "literal") {
      here = first;
      continue;
    }
    // `Number.isInteger(+text)`, `allowed.includes(Number(text))`: only texts of numbers become numbers as a whole.
    const number = asNumber(here);
    if (number) {
      here = number;
      continue;
    }
    if (here.kind !== "call") return here;
    const { callee, args } = here;
    if (callee.kind === "field" && (sameText.test(callee.name) || takesHarmless(callee.name, args))) here = callee.of;
    else if (callee.kind === "variable" && sameTextAs.test(callee.name) && args[0]) here = args[0].value;
    else return here;
  }
}

function asNumber(here: Expression): Expression | undefined {
  if (here.kind === "operation" && here.operands.length === 1 && here.operator === "+") return here.operands[0];
  const isNumber = here.kind === "call" && here.callee.kind === "variable" && here.callee.name === "Number";
  return isNumber ? here.args[0]?.value : undefined;
}

export function store(frame: Frame, operand: Expression, value: Value): void {
  const key =
    operand.kind === "call"
      ? askedPath(operand)
      : (accessPath(operand) ?? (operand.kind === "index" ? elementPath(operand) : null));
  if (key !== null) frame.scope.set(key, value === nothing ? { ...nothing } : value);
}
