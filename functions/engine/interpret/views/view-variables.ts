import { calledName } from "../../ir/called-name.ts";
import type { Expression, FunctionNode, Span, Statement } from "../../ir/ir.ts";
import { type IrNode, walk } from "../../ir/walk.ts";
import { templateTarget } from "../../templates/template-target.ts";
import { handOver } from "../calls/handover.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, type Value } from "../value.ts";

const namesMax = 4;
/** Views that the other methods of a file name; what one method keeps, another one shows. */
const namesOfFileMax = 12;

/** What a controller of PHP puts into the bag of its view, or sets on the view itself, is a variable of that name there. */
export function keepForViews(run: Run, frame: Frame, to: Expression, value: Value): void {
  if (run.language !== "php" || (to.kind !== "field" && to.kind !== "index") || allTaint(value).length === 0) return;
  const bag = accessPath(to.of);
  const key = accessPath(to)?.slice((bag?.length ?? 0) + 1) ?? "";
  if (bag === null || !/^\$?\w+$/.test(key) || !run.knowledge.bags.has(bag)) return;
  handToViews(run, frame, new Map([[key.replace("$", ""), value]]), to);
}

/** An action of Laminas may give the map itself that its view is to have. */
export function returnForView(run: Run, frame: Frame, { slots }: Value, at: Span): void {
  if (run.language !== "php" || slots?.shape !== "map" || !/Controller\.\w+Action\b/.test(frame.symbol)) return;
  const given = new Map([...slots.entries].filter(([, value]) => allTaint(value).length > 0));
  if (given.size > 0) handToViews(run, frame, given, at);
}

/** Hands values over to the views that may find them. */
export function handToViews(run: Run, frame: Frame, given: ReadonlyMap<string, Value>, at: Span): void {
  for (const name of viewsFor(run, frame)) handOver(run, templateTarget("escaping", name), [], given, at);
}

/** The views that a function names, or else the one that is called like the action; those that its file names besides may be its own. */
function viewsFor(run: Run, frame: Frame): string[] {
  const own = frame.fn ? namedBy(frame.fn, run.language) : [];
  if (own.length > 0) return own;
  return run.language === "php" ? [...viewOfAction(frame), ...namedBeside(run, frame)] : [];
}

const views = new WeakMap<FunctionNode, string[]>();

/** What a function names as its view. */
function namedBy(fn: FunctionNode, language: string): string[] {
  const known = views.get(fn) ?? viewsIn(fn.body, language, namesMax);
  views.set(fn, known);
  return known;
}

const besideActions = new WeakMap<FunctionNode, string[]>();
const inFile = new WeakMap<FunctionNode, string[]>();

/** What the file of a function names. Each action has a view of its own: what one gives its view no other one shows. */
function namedBeside({ page: { fn, body }, language }: Run, frame: Frame): string[] {
  const ofAction = frame.fn !== null && isAction(frame.fn);
  const known = ofAction ? besideActions : inFile;
  const found = known.get(fn) ?? viewsIn(body, language, namesOfFileMax, ofAction);
  known.set(fn, found);
  return found;
}

const isAction = (node: IrNode): boolean => !("kind" in node) && /\wAction$/.test(node.name);

/** The views that statements name. A redirect shows none. */
function viewsIn(body: readonly Statement[], language: string, max: number, withoutActions = false): string[] {
  const found = new Set<string>();
  let actions = 0;
  const enter = (node: IrNode) => {
    if (withoutActions && isAction(node)) actions++;
    if (actions > 0) return;
    for (const value of language === "php" ? namedIn(node) : shownBy(node))
      if (value?.kind === "literal" && typeof value.value === "string" && !/^redirect:|^$|\s/.test(value.value))
        found.add(value.value.replace(/^forward:/, ""));
  };
  walk(body, enter, (node) => {
    if (withoutActions && isAction(node)) actions--;
  });
  return [...found].slice(0, max);
}

function shownBy(node: IrNode): (Expression | null)[] {
  if (!("kind" in node)) return [];
  if (node.kind === "return") return [node.value];
  if (node.kind !== "call" || !/^(ModelAndView|setViewName|getRequestDispatcher)$/.test(calledName(node))) return [];
  return node.args.slice(0, 1).map((arg) => arg.value);
}

/** Applications of PHP have functions of their own around the one that shows a view, and some keep its name in a field. */
function namedIn(node: IrNode): (Expression | null)[] {
  if (!("kind" in node)) return [];
  if (node.kind === "assign" && node.to.kind === "field" && /^\$(template|view|layout|tpl|page)$/i.test(node.to.name))
    return [node.from];
  if (node.kind !== "call" || !/view|render|display|show|^fetch$|template|tpl|layout|page|draw/i.test(calledName(node)))
    return [];
  return node.args.slice(0, 1).map((arg) => arg.value);
}

/** An action that names no view shows the one that is called like it. */
function viewOfAction({ symbol }: Frame): string[] {
  const [, controller, method] = symbol.match(/\b(\w{1,80})(?:Controller|Presenter)\.(\w+)/) ?? [];
  if (controller === undefined || method === undefined) return [];
  const action = method
    .replace(/Action$|^(render|action)(?=[A-Z])/, "")
    .replace(/^[A-Z]/, (first) => first.toLowerCase());
  const dashed = (name: string) => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "-").toLowerCase();
  return [...new Set([`${controller}/${action}`, `${dashed(controller)}/${dashed(action)}`])];
}
