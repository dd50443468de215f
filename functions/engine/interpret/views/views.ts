import type { Call, Expression } from "../../ir/ir.ts";
import { templateTarget } from "../../templates/template-target.ts";
import { handOver } from "../calls/handover.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, nothing, type Value } from "../value.ts";

const action = /(?:^|[.:])(\w+)Controller\.(\w+?)(?:Async)?\/\d+$/;
/** What an action keeps for its view besides the model. */
const bags = ["ViewBag", "ViewData", "TempData"];

/**
 * In ASP.NET an action shows the view that is called like it, or one that it names; the view finds what it was given as `Model`, and
 * what the action has put into the bags there.
 */
export function showModel(run: Run, frame: Frame, call: Call, positional: readonly Value[]): void {
  if (run.language !== "csharp" || !/^(View|PartialView)$/.test(nameOf(call))) return;
  const [, controller, method] = frame.symbol.match(action) ?? [];
  if (controller === undefined) return;
  const [first] = positional;
  const written = call.args.length > 0 ? first?.constants?.[0] : undefined;
  const name = typeof written === "string" ? written.replace(/^~?\//, "") : (method as string);
  const model = typeof written === "string" ? positional[1] : first;
  const given = new Map<string, Value>();
  if (model && allTaint(model).length > 0) given.set("Model", model);
  for (const bag of bags) {
    const entries = keptIn(frame, bag);
    if (entries.size > 0) given.set(bag, { ...nothing, slots: { shape: "map", entries, rest: null } });
  }
  const target = name.includes("/") ? name : `${controller}/${name}`;
  if (given.size > 0) handOver(run, templateTarget("escaping", target), [], given, call);
}

const handler = /(?:^|[.:])(\w+?)Model\.On(?:Get|Post|Put|Patch|Delete)\w*\/\d+$/;

/** What a handler of Razor Pages sets on its model is what the page of that name shows, unless it leads elsewhere. */
export function keepForPage(run: Run, frame: Frame, to: Expression, value: Value): void {
  if (run.language !== "csharp" || allTaint(value).length === 0) return;
  // What is bound to a property is there before any handler runs.
  const [, page] = (frame.fn ? frame.symbol : bound(frame)).match(handler) ?? [];
  const property = page === undefined ? null : propertyOf(to);
  if (page === undefined || property === null) return;
  const handling = frame.fn ? run.stretch(frame.fn.start, frame.fn.end) : "";
  if (/\breturn\s+(this\.)?\w*Redirect/.test(handling) && !/\breturn\s+(this\.)?Page\s*\(/.test(handling)) return;
  const entries = new Map([[property, value]]);
  const given = new Map<string, Value>([["Model", { ...nothing, slots: { shape: "map", entries, rest: null } }]]);
  handOver(run, templateTarget("escaping", page), [], given, to);
}

/** A class with a handler, as the handler is named. */
const bound = ({ owner }: Frame): string =>
  [...(owner?.methods.keys() ?? [])].some((name) => /^On(Get|Post)/.test(name)) ? `${owner?.node.name}.OnGet/0` : "";

/** Variables of C# begin with a small letter, properties with a capital. */
function propertyOf(to: Expression): string | null {
  const isOwn = to.kind === "variable" || (to.kind === "field" && to.of.kind === "variable" && to.of.name === "this");
  return isOwn && /^[A-Z]/.test(to.name) ? to.name : null;
}

const nameOf = ({ callee }: Call): string =>
  callee.kind === "variable" ||
  (callee.kind === "field" && callee.of.kind === "variable" && /^(this|base)$/.test(callee.of.name))
    ? callee.name
    : "";

/** `ViewBag.Query = query` and `ViewData["Query"] = query` in the action. */
function keptIn(frame: Frame, bag: string): Map<string, Value> {
  const slots = frame.scope.get(bag)?.slots;
  const entries = new Map([...(slots?.entries ?? [])].filter(([, value]) => allTaint(value).length > 0));
  for (const [key, value] of frame.scope.variables ?? [])
    if (key.startsWith(`${bag}.`) && allTaint(value).length > 0) entries.set(key.slice(bag.length + 1), value);
  return entries;
}
