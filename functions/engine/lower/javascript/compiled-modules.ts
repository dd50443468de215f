import type { Assign, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

/**
 * What compilers make of imports and exports, lowered as what it was compiled from: `var a_1 = __importDefault(require("a"))`
 * with `a_1.default` is `import a from "a"`, and a property with a getter is `export { b } from "c"`.
 */
const helper =
  /^(?:\w+\.)?(?:__importDefault|__importStar|__toESM|_?_interop_?[rR]equire_?(?:[dD]efault|[wW]ildcard)\d*(?:\._)?)$/;

/** Helpers that hand on all that a module has; the call may leave `this` out: `(0, tslib_1.__exportStar)`. */
const star = /^(?:\(0,\s*)?(?:\w+\.)?(?:__exportStar|_export_star|__reExport)(?:\._)?\)?$/;

/** Variables that stand for a module of which `default` is the module itself. */
const modulesOf = new WeakMap<Lowering, Set<string>>();

/** What a helper is called with. */
export function wrappedModule(l: Lowering, node: SyntaxNode | undefined): SyntaxNode | null {
  if (node?.type !== "call_expression") return null;
  const callee = childIn(node, "function");
  const wrapped = childIn(node, "arguments")?.children[0];
  if (!callee || !wrapped || callee.end - callee.start > 60) return null;
  return helper.test(l.textOf(callee).replace(/^\(0,\s*|\)/g, "")) ? wrapped : null;
}

/** The module's name in `__exportStar(require("./a"), exports)`, which is `export * from "./a"`. */
export function handedOn(l: Lowering, node: SyntaxNode): SyntaxNode | null {
  if (node.type !== "call_expression") return null;
  const callee = childIn(node, "function");
  if (!callee || callee.end - callee.start > 60 || !star.test(l.textOf(callee))) return null;
  const required = (childIn(node, "arguments")?.children ?? []).find((given) => given.type === "call_expression");
  const asked = required && childIn(required, "function");
  if (!asked || l.textOf(asked) !== "require") return null;
  const [name] = childIn(required, "arguments")?.children ?? [];
  return name?.type === "string" ? name : null;
}

/** Remembers a variable that is declared as a module in a helper's clothes, or is given them afterwards. */
export function declareModule(l: Lowering, name: SyntaxNode, value: SyntaxNode | undefined): void {
  if (name.type !== "identifier" || wrappedModule(l, value) === null) return;
  const known = modulesOf.get(l) ?? new Set();
  modulesOf.set(l, known.add(l.textOf(name)));
}

/** Whether `default` of this is the thing itself. */
export const isModule = (l: Lowering, of: SyntaxNode): boolean =>
  wrappedModule(l, of) !== null || (of.type === "identifier" && modulesOf.get(l)?.has(l.textOf(of)) === true);

/** `Object.defineProperty(exports, "b", { get: function () { return c_1.b; } })`. */
export function definedExport(l: Lowering, node: SyntaxNode): Assign | null {
  const callee = childIn(node, "function");
  const [of, name, how, ...more] = childIn(node, "arguments")?.children ?? [];
  if (callee?.type !== "member_expression" || of?.type !== "identifier" || name?.type !== "string") return null;
  if (how?.type !== "object" || more.length > 0 || l.textOf(of) !== "exports") return null;
  if (l.textOf(callee) !== "Object.defineProperty") return null;
  const returned = how.children.map((property) => returnedBy(l, property)).find((value) => value !== null);
  if (!returned) return null;
  const to: Expression = { ...span(name), kind: "field", of: l.variable(of), name: l.textOf(name).slice(1, -1) };
  return { ...span(node), kind: "assign", to, from: l.expression(returned), type: null, declares: false };
}

/** The value of `get: function () { return value; }` or `get() { return value; }`. */
function returnedBy(l: Lowering, property: SyntaxNode): SyntaxNode | null {
  const key = childIn(property, "key") ?? childIn(property, "name");
  if (!key || l.textOf(key) !== "get") return null;
  const body = childIn(childIn(property, "value") ?? property, "body");
  if (!body) return null;
  if (body.type !== "statement_block") return body;
  const [statement] = body.children;
  return statement?.type === "return_statement" ? (statement.children[0] ?? null) : null;
}
