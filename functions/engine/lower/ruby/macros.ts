import type { Call, ClassStatement, Expression, FunctionNode, Statement } from "../../ir/ir.ts";

/** Calls that say from where on, or of which methods, nobody outside may call them. */
const hiding: ReadonlySet<string> = new Set(["private", "protected", "private_class_method", "public"]);
/** Calls that take in the methods of modules, which are then found like those of a base class. */
const including: ReadonlySet<string> = new Set(["include", "prepend", "extend", "helpers"]);
/** Calls that make a method of a name and a block. */
const making: ReadonlySet<string> = new Set(["scope", "define_method"]);
/** Calls whose block is run as part of the class that takes in the module. */
const opening: ReadonlySet<string> = new Set(["included", "class_methods", "helpers"]);

/**
 * Calls in the body of a Ruby class say something of it, as annotations do elsewhere: `before_action :sign_in, only: :show`. They become
 * decorators: of the methods that they name, else of the class. Public methods are marked `<public>.Name` after their class, for
 * frameworks that call those of every class that is called like this.
 */
export function withMacros(declared: ClassStatement): ClassStatement {
  const body = declared.body.flatMap(opened);
  const said = body.flatMap((s) => macroOf(s) ?? []);
  const hidden = hiddenIn(body);
  const macros = said.filter((macro) => !hiding.has(nameOf(macro)) && !including.has(nameOf(macro)));
  const decorated = (fn: FunctionNode): FunctionNode => ({
    ...fn,
    decorators: [
      ...macros.filter((macro) => selects(macro, fn.name) === true),
      ...(declared.bases.length > 0 ? [publicMark(fn, declared.name)] : []),
    ],
  });
  return {
    ...declared,
    bases: [...declared.bases, ...said.filter((macro) => including.has(nameOf(macro))).flatMap(constantsOf)],
    decorators: macros.filter((macro) => selects(macro, null) === null),
    body: body.map((s) => (s.kind === "function" && !hidden.has(s.fn.name) ? { ...s, fn: decorated(s.fn) } : s)),
  };
}

/** The statements of a block that is run as part of a class stand in the class, and a block that gets a name is a method of it. */
export function opened(s: Statement): Statement[] {
  const macro = macroOf(s);
  const block = blockOf(macro?.args.at(-1)?.value);
  if (!macro || block?.kind !== "closure") return [s];
  const [name] = macro.args.flatMap(({ value }) => textsOf(value));
  if (making.has(nameOf(macro)) && name !== undefined)
    return [{ ...block, kind: "function", fn: { ...block.fn, name, receiver: "this", exported: true } }];
  if (!opening.has(nameOf(macro))) return [s];
  // What a block gives is what its last statement is.
  return block.fn.body.map((inner) =>
    inner.kind === "return" && inner.value ? { ...inner, kind: "expression", value: inner.value } : inner,
  );
}

/** A block, also where it is made a value first: `lambda { |text| … }`. */
const blockOf = (value: Expression | undefined): Expression | undefined =>
  value?.kind === "call" && /^(lambda|proc)$/.test(nameOf(value)) ? value.args.at(-1)?.value : value;

function macroOf(s: Statement): Call | null {
  if (s.kind !== "expression") return null;
  const { value } = s;
  if (value.kind === "variable") return { ...value, kind: "call", callee: value, args: [], isNew: false };
  return value.kind === "call" && value.callee.kind === "variable" ? value : null;
}

const nameOf = ({ callee }: Call): string => (callee.kind === "variable" ? callee.name : "");

/** Whether a macro is about a method: null for one that is about all. */
function selects({ args }: Call, method: string | null): boolean | null {
  const listed = (key: string) => args.find(({ name }) => name === key)?.value;
  const only = listed("only");
  if (only) return textsOf(only).includes(method ?? "");
  const except = listed("except");
  return except ? !textsOf(except).includes(method ?? "") : null;
}

/** Methods that only their own class may call. */
function hiddenIn(body: readonly Statement[]): ReadonlySet<string> {
  const hidden = new Set<string>();
  let isHidden = false;
  for (const s of body) {
    if (s.kind === "function" && isHidden) hidden.add(s.fn.name);
    const macro = macroOf(s);
    if (!macro || !hiding.has(nameOf(macro))) continue;
    if (macro.args.length === 0) isHidden = nameOf(macro) !== "public";
    for (const name of macro.args.flatMap(({ value }) => textsOf(value))) hidden.add(name);
  }
  return hidden;
}

function textsOf(value: Expression): string[] {
  if (value.kind === "collection") return value.entries.flatMap((entry) => textsOf(entry.value));
  return value.kind === "literal" ? [String(value.value)] : [];
}

const constantsOf = ({ args }: Call): Expression[] =>
  args.flatMap(({ value }) => (value.kind === "variable" || value.kind === "field" ? [value] : []));

const publicMark = ({ start, end }: FunctionNode, name: string): Expression => ({
  start,
  end,
  kind: "field",
  of: { start, end, kind: "variable", name: "<public>" },
  name,
});
