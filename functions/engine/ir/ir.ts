/**
 * The intermediate representation: structured, the same for all languages, made by lower/ and run by interpret/.
 * Every node carries offsets in UTF-16 units; lines are computed when a finding is written.
 */
export interface Span {
  start: number;
  end: number;
}

/** The type of a field of text of which validators ask for a form that carries no attack. No type of a language is called like this. */
export const checkedText = "checked text";

export type Constant = string | number | boolean | null;

export type Expression =
  | Literal
  | Template
  | Variable
  | Field
  | Index
  | Operation
  | Conditional
  | Call
  | Collection
  | Closure
  | Assign
  | Sequence
  | Unknown;

/** A constant of the source. `regex` marks a regular expression literal, whose value is its pattern. */
export interface Literal extends Span {
  kind: "literal";
  value: Constant;
  regex?: boolean;
}
/** Text with holes: f-string, template literal. */
export interface Template extends Span {
  kind: "template";
  parts: Expression[];
}
export interface Variable extends Span {
  kind: "variable";
  name: string;
  /** Nothing before it assigns it: in Ruby a call, in C# a property of the class, or a class. */
  bare?: boolean;
}
export interface Field extends Span {
  kind: "field";
  of: Expression;
  name: string;
  /** Reading it may call `getName`, assigning it `setName`: a property of Kotlin. */
  accessor?: boolean;
}
/** `key` is null where any element may be meant: slices, loop variables. */
export interface Index extends Span {
  kind: "index";
  of: Expression;
  key: Expression | null;
  /** Of a map it is the key that comes, not what lies under it. */
  asKey?: true;
}
/** The operator of what is taken for an object of a class, which is the second operand. */
export const castOperator = "(type)";

/** Unary, binary and chained operators; `a + b + c` is one node with three operands, so long chains stay shallow. */
export interface Operation extends Span {
  kind: "operation";
  operator: string;
  operands: Expression[];
}
export interface Conditional extends Span {
  kind: "conditional";
  test: Expression;
  then: Expression;
  otherwise: Expression;
}
export interface Call extends Span {
  kind: "call";
  callee: Expression;
  args: Argument[];
  isNew: boolean;
  /** Its result is waited for: what it gives was fetched or computed elsewhere. */
  awaited?: boolean;
}
/** Called with what a generator hands out; spread where it hands on all of another's. */
export const handsOut = "<yield>";

/** The name of an argument that is a map of arguments: `f(**options)`. */
export const wholeMap = "**";

/** Stands before the name of a parameter that is a list of all arguments from there on: `String... parts`. */
export const allFurther = "*";

export interface Argument {
  name: string | null;
  spread: boolean;
  value: Expression;
}
/** Array, list, tuple, set, map, object literal. A null key in a map is computed or spread. */
export interface Collection extends Span {
  kind: "collection";
  shape: "list" | "map";
  entries: Entry[];
}
export interface Entry extends Span {
  key: Expression | null;
  value: Expression;
  spread: boolean;
}
export interface Closure extends Span {
  kind: "closure";
  fn: FunctionNode;
}
/** Binds `to`: a variable, field, index, or a collection for destructuring. `type` is the declared type as written. */
export interface Assign extends Span {
  kind: "assign";
  to: Expression;
  from: Expression;
  type: string | null;
  /** True where the assignment declares the name in the enclosing function. */
  declares: boolean;
  /** The annotations of a field of a class that has a value from the beginning; those of others are what its value is unknown of. */
  decorators?: Expression[];
}
/** Evaluates all, yields the last: comma operator, comprehension, switch expression. */
export interface Sequence extends Span {
  kind: "sequence";
  parts: Expression[];
}
/** What a lowering does not know yet. Taint passes through, and the share of such nodes is counted. */
export interface Unknown extends Span {
  kind: "unknown";
  reads: Expression[];
}

export type Statement =
  | ExpressionStatement
  | Block
  | Branch
  | Switch
  | Loop
  | Try
  | Return
  | Throw
  | Jump
  | FunctionStatement
  | ClassStatement
  | Import;

export interface ExpressionStatement extends Span {
  kind: "expression";
  value: Expression;
}
export interface Block extends Span {
  kind: "block";
  body: Statement[];
}
export interface Branch extends Span {
  kind: "branch";
  test: Expression;
  then: Statement[];
  otherwise: Statement[];
}
export interface Switch extends Span {
  kind: "switch";
  of: Expression;
  /** A case without tests is the default. `through`: runs into the next case unless it jumps. */
  cases: { tests: Expression[]; body: Statement[]; through: boolean }[];
}
export interface Loop extends Span {
  kind: "loop";
  /** Runs before each round: binding of the loop variable. */
  bind: Expression | null;
  test: Expression | null;
  body: Statement[];
  update: Expression | null;
  /** True for do-while: the body runs at least once. */
  always: boolean;
}
export interface Try extends Span {
  kind: "try";
  body: Statement[];
  catches: Catch[];
  last: Statement[];
}
export interface Catch extends Span {
  bind: Expression | null;
  body: Statement[];
}
export interface Return extends Span {
  kind: "return";
  value: Expression | null;
}
export interface Throw extends Span {
  kind: "throw";
  value: Expression | null;
}
export interface Jump extends Span {
  kind: "jump";
  to: "break" | "continue";
}
export interface FunctionStatement extends Span {
  kind: "function";
  fn: FunctionNode;
}
export interface ClassStatement extends Span {
  kind: "class";
  name: string;
  bases: Expression[];
  /** Interfaces of TypeScript, and traits of Rust: they have no behaviour, but whoever calls by one means a class that has it. */
  interfaces?: string[];
  /** The methods that an interface of Go asks for: whatever has them is one. */
  asks?: string[];
  decorators: Expression[];
  /** Field initialisers as assignments, methods as functions, nested classes. */
  body: Statement[];
  /** Fields that have decorators and no value, in languages that check by these what comes in. */
  decorated?: { name: string; decorators: Expression[] }[];
}
/** Binds `as` to `module` or to its member `name`. `as` "*" opens all names of the module. */
export interface Import extends Span {
  kind: "import";
  module: string;
  name: string | null;
  as: string;
}

/** What a method is called that is run by assigning a property: `set name(value)`, `@name.setter`, `def name=(value)`. */
export const setterName = (property: string): string => `${property}=`;

export interface FunctionNode extends Span {
  /** Empty for anonymous functions. */
  name: string;
  params: Parameter[];
  decorators: Expression[];
  body: Statement[];
  /** The name that holds the object in a method: "this", or the first parameter in Python. Null in plain functions and arrows. */
  receiver: string | null;
  exported: boolean;
  /** It gives way while it waits: `async`. Others run on the same thread meanwhile, and stand still when it does not. */
  suspends?: boolean;
  /** It is called by reading a field of its name: `get x()`, `@property`. */
  getter?: boolean;
  /** Nobody has written it: the constructor that a data class is given. */
  made?: boolean;
  /** The declared type of what it returns, as written, where models ask for it. */
  result?: string | null;
  /** The variables around it that it can see, where that is not all of them: PHP hands them in by name. */
  sees?: ReadonlySet<string>;
}
export interface Parameter extends Span {
  name: string;
  /** A destructuring target; `name` is then a stand-in. */
  pattern: Expression | null;
  type: string | null;
  decorators: Expression[];
  default: Expression | null;
  rest: boolean;
  /** The rest is what is passed by names that no other parameter has: `**options`. */
  byName?: boolean;
}

/** One file after lowering. */
export interface Module {
  body: Statement[];
  comments: Span[];
  nodes: number;
  unknown: number;
  /** Some code was nested too deeply to be lowered. */
  tooDeep: boolean;
  /** Stretches the parser could not make sense of. */
  errors: Span[];
}
