import { lastName } from "../../ir/called-name.ts";
import type { Call, ClassStatement, Expression, FunctionNode, Statement } from "../../ir/ir.ts";

/**
 * What compilers make of decorators, put back where they stood: `X = __decorate([Controller("x")], X)` decorates the class, and
 * `__decorate([Get("y"), __param(0, Query("q")), __metadata("design:paramtypes", [String])], X.prototype, "find", null)` a method, its
 * parameters and their types.
 */
const helper = /^(?:__decorate|_ts_decorate|__decorateClass)$/;
const ofParameter = /^(?:__param|_ts_param|__decorateParam)$/;
const ofTypes = /^(?:__metadata|_ts_metadata)$/;

/** What types are at runtime, as they were written. */
const written = new Map([
  ["String", "string"],
  ["Number", "number"],
  ["Boolean", "boolean"],
]);

/** The statements of a file, without those that did nothing but decorate its classes. */
export function withDecorators(statements: Statement[]): Statement[] {
  const classes = new Map<string, ClassStatement>();
  return statements.filter((statement) => {
    if (statement.kind === "class") classes.set(statement.name, statement);
    const call = statement.kind === "expression" ? decorating(statement.value) : null;
    return call === null || !decorate(classes, call);
  });
}

/** The call at the end of `exports.X = X = X_1 = __decorate(…)`. */
function decorating(value: Expression): Call | null {
  if (value.kind === "assign") return decorating(value.from);
  return value.kind === "call" && helper.test(lastName(value.callee)) ? value : null;
}

/** Whether it was a class of this file, or a member of one, that was decorated. */
function decorate(classes: ReadonlyMap<string, ClassStatement>, { args }: Call): boolean {
  const [list, target, member] = args.map(({ value }) => value);
  if (list?.kind !== "collection" || !target) return false;
  const of = target.kind === "field" && target.name === "prototype" ? target.of : target;
  const owner = of.kind === "variable" ? classes.get(of.name) : undefined;
  if (!owner) return false;
  const decorators = list.entries.map(({ value }) => value);
  if (!member) decorateClass(owner, decorators);
  else if (member.kind === "literal") decorateMember(owner, String(member.value), decorators);
  // Exports of the class stand in statements of their own, before the one that decorates it.
  return true;
}

function decorateClass(owner: ClassStatement, decorators: Expression[]): void {
  owner.decorators.push(...decorators.filter((decorator) => !isAbout(decorator)));
  const made = methodOf(owner, "constructor");
  if (made) decorateParameters(made, decorators);
}

function decorateMember(owner: ClassStatement, name: string, decorators: Expression[]): void {
  const own = decorators.filter((decorator) => !isAbout(decorator));
  const method = methodOf(owner, name);
  if (!method) {
    owner.decorated = [...(owner.decorated ?? []), { name, decorators: own }];
    return;
  }
  method.decorators.push(...own);
  decorateParameters(method, decorators);
}

function methodOf(owner: ClassStatement, name: string): FunctionNode | undefined {
  for (const statement of owner.body)
    if (statement.kind === "function" && statement.fn.name === name) return statement.fn;
  return undefined;
}

function decorateParameters(fn: FunctionNode, decorators: readonly Expression[]): void {
  for (const decorator of decorators) {
    if (decorator.kind !== "call") continue;
    const [first, second] = decorator.args.map(({ value }) => value);
    if (first?.kind !== "literal" || !second) continue;
    const name = lastName(decorator.callee);
    if (ofParameter.test(name)) fn.params[Number(first.value)]?.decorators.push(second);
    if (ofTypes.test(name) && first.value === "design:paramtypes") giveTypes(fn, second);
  }
}

function giveTypes(fn: FunctionNode, types: Expression): void {
  if (types.kind !== "collection") return;
  for (const [i, { value }] of types.entries.entries()) {
    const parameter = fn.params[i];
    if (parameter) parameter.type ??= typeOf(value);
  }
}

/** `typeof (_a = typeof x_1.X !== "undefined" && x_1.X) === "function" ? _a : Object` and what says nothing have no name. */
function typeOf(value: Expression): string | null {
  const name = pathOf(value);
  return name === null || name === "Object" || name === "Function" ? null : (written.get(name) ?? name);
}

function pathOf(value: Expression): string | null {
  if (value.kind === "variable") return value.name;
  if (value.kind !== "field") return null;
  const of = pathOf(value.of);
  return of === null ? null : `${of}.${value.name}`;
}

/** Whether it is no decorator that somebody has written on the class or method. */
const isAbout = (value: Expression): boolean =>
  value.kind === "call" && (ofParameter.test(lastName(value.callee)) || ofTypes.test(lastName(value.callee)));
