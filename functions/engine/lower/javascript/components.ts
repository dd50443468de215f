import type { Assign, Collection, Expression, FunctionNode, Span, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";

/** How the markup of a component shows something; templates/page-scripts.ts writes it like this. */
const shows = /^[ℍℎ]$/;

export const mayBeComponent = (text: string): boolean => text.includes("=>ℍ(") || text.includes("=>ℎ(");

/**
 * `export default { data() {…}, computed: {…}, methods: {…} }`: a component is an object of a class that nobody writes. What `data` gives are
 * its fields, and what the markup beside it names are fields and methods of it.
 */
export function withComponent(statements: Statement[]): Statement[] {
  const at = statements.findIndex((statement) => optionsIn(statement) !== null);
  const options = at < 0 ? null : optionsIn(statements[at] as Statement);
  if (!options) return statements.map(withLoaded);
  const methods = methodsOf(options);
  const fields = [...dataOf(options, "setup"), ...dataOf(options, "data")];
  const names = new Set([...methods.map(({ name }) => name), ...fields.flatMap(namesSet)]);
  const shown = statements.flatMap((statement) => shownBy(statement, names));
  const { start, end } = options;
  const made: FunctionNode = { ...plain(options), name: "constructor", body: fields };
  const body = [made, ...methods, ...shown].map((fn): Statement => ({ start, end, kind: "function", fn }));
  const type: Statement = { start, end, kind: "class", name: "<component>", bases: [], decorators: [], body };
  return [...statements.filter((one, i) => i !== at && !isShown(one)), type];
}

/** `export let data`, `let { data } = $props()`: a page of SvelteKit is handed what the functions beside it have loaded. */
function withLoaded(statement: Statement): Statement {
  const { value } = statement.kind === "expression" ? statement : { value: null };
  if (statement.kind !== "expression" || value?.kind !== "assign" || !value.declares) return statement;
  const { to, from } = value;
  const isLet = to.kind === "variable" && to.name === "data" && from.kind === "unknown" && from.reads.length === 0;
  if (isLet) return { ...statement, value: { ...value, from: loaded(value) } };
  const isProps = from.kind === "call" && from.callee.kind === "variable" && from.callee.name === "$props";
  if (!isProps || to.kind !== "collection" || !entryOf(to, "data")) return statement;
  const { start, end } = from;
  const key: Expression = { start, end, kind: "literal", value: "data" };
  const entries = [{ start, end, key, value: loaded(from), spread: false }];
  return { ...statement, value: { ...value, from: { start, end, kind: "collection", shape: "map", entries } } };
}

/** `require("./+page.server").load() || require("./+page").load()` */
function loaded({ start, end }: Span): Expression {
  const call = (callee: Expression, args: Expression[]): Expression => {
    const given = args.map((value) => ({ name: null, spread: false, value }));
    return { start, end, kind: "call", callee, args: given, isNew: false };
  };
  const operands = ["./+page.server", "./+page"].map((value) => {
    const module = call({ start, end, kind: "variable", name: "require" }, [{ start, end, kind: "literal", value }]);
    return call({ start, end, kind: "field", of: module, name: "load" }, []);
  });
  return { start, end, kind: "operation", operator: "||", operands };
}

/** `export default {…}`, `export default defineComponent({…})` */
function optionsIn(statement: Statement): Collection | null {
  if (statement.kind !== "expression" || statement.value.kind !== "assign") return null;
  const { to, from } = statement.value;
  if (to.kind !== "field" || to.name !== "default") return null;
  const [first] = from.kind === "call" ? from.args : [];
  const options = first?.value ?? from;
  return options.kind === "collection" && options.shape === "map" ? options : null;
}

const plain = ({ start, end }: Span): FunctionNode => {
  return { start, end, name: "", params: [], decorators: [], body: [], receiver: "this", exported: false };
};

const entryOf = (of: Collection, name: string): Expression | undefined =>
  of.entries.find(({ key }) => key?.kind === "literal" && key.value === name)?.value;

/** Functions under their names; of what has a getter, that. */
function functionsIn(of: Collection): FunctionNode[] {
  return of.entries.flatMap(({ key, value }) => {
    const name = key?.kind === "literal" ? String(key.value) : "";
    const fn = value.kind === "collection" ? entryOf(value, "get") : value;
    return fn?.kind === "closure" && name !== "data" && name !== "setup"
      ? [{ ...fn.fn, name, receiver: fn.fn.receiver === null ? null : "this" }]
      : [];
  });
}

/** What runs at some time in the life of a component, its methods, and what is computed by reading it. */
function methodsOf(options: Collection): FunctionNode[] {
  const [computed, methods] = ["computed", "methods"].map((name) => entryOf(options, name));
  return [
    ...functionsIn(options),
    ...(methods?.kind === "collection" ? functionsIn(methods) : []),
    ...(computed?.kind === "collection" ? functionsIn(computed).map((fn) => ({ ...fn, getter: true })) : []),
  ];
}

/** The statements of a function that gives the fields of a component, with what it gives as assignments. */
function dataOf(options: Collection, name: string): Statement[] {
  const given = entryOf(options, name);
  return given?.kind === "closure" ? given.fn.body.flatMap(assigned) : [];
}

function assigned(statement: Statement): Statement[] {
  if (statement.kind === "block") return statement.body.flatMap(assigned);
  const { value } = statement.kind === "return" ? statement : { value: null };
  if (value?.kind !== "collection") return statement.kind === "return" ? [] : [statement];
  return value.entries.flatMap(({ key, value: from, start, end }): Statement[] => {
    if (key?.kind !== "literal") return [];
    const to = ofThis({ start, end }, String(key.value));
    return [expression({ start, end, kind: "assign", to, from, type: null, declares: false })];
  });
}

const expression = (value: Assign): Statement => ({ start: value.start, end: value.end, kind: "expression", value });

const ofThis = (at: Span, name: string): Expression => {
  const { start, end } = at;
  return { start, end, kind: "field", of: { start, end, kind: "variable", name: "this" }, name };
};

const namesSet = (statement: Statement): string[] => {
  const to = statement.kind === "expression" && statement.value.kind === "assign" ? statement.value.to : null;
  return to?.kind === "field" && to.of.kind === "variable" && to.of.name === "this" ? [to.name] : [];
};

/** `() => ℍ(note)` */
function markupOf(statement: Statement): FunctionNode | null {
  if (statement.kind !== "expression" || statement.value.kind !== "closure") return null;
  const { fn } = statement.value;
  const [only] = fn.body;
  const callee = only?.kind === "return" && only.value?.kind === "call" ? only.value.callee : null;
  return callee?.kind === "variable" && shows.test(callee.name) ? fn : null;
}

const isShown = (statement: Statement): boolean => markupOf(statement) !== null;

/** A piece of markup as a method, which knows members of its component by their names alone. */
function shownBy(statement: Statement, members: ReadonlySet<string>): FunctionNode[] {
  const fn = markupOf(statement);
  if (!fn) return [];
  const { start, end } = fn;
  const named = new Set<string>();
  walk(fn.body, (node) => {
    if ("kind" in node && node.kind === "variable" && members.has(node.name)) named.add(node.name);
  });
  const known = [...named].map((name): Statement => {
    const to: Expression = { start, end, kind: "variable", name };
    const from = ofThis(fn, name);
    return expression({ start, end, kind: "assign", to, from, type: null, declares: true });
  });
  return [{ ...fn, name: `<${start}>`, body: [...known, ...fn.body], receiver: "this" }];
}
