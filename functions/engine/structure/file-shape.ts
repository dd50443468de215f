import { lastName } from "../ir/called-name.ts";
import type {
  Assign,
  Call,
  Catch,
  ClassStatement,
  Expression,
  FunctionNode,
  Literal,
  Loop,
  Module,
  Operation,
  Span,
  Statement,
  Try,
} from "../ir/ir.ts";
import { type IrNode, walk } from "../ir/walk.ts";

/** A function, and what its own code looks like without the functions in it. */
export interface FunctionShape {
  readonly fn: FunctionNode;
  readonly around: FunctionShape | null;
  /** The class that it is a method of. */
  readonly owner: ClassStatement | null;
  /** It is declared by a statement; otherwise it is a value that something holds. */
  readonly declared: boolean;
  readonly inside: FunctionShape[];
  /** The loops in it, and what comprehensions do for each of their elements. */
  readonly rounds: Round[];
  /** Set for a callback that is called once per element, by `forEach` and its like. */
  each: Round | null;
  /** The effect of a component: run when that is mounted, and what it returns when that is unmounted. */
  readonly effect: boolean;
  /** It returns a value. */
  answers: boolean;
  /** How deep conditions and loops are nested, and where that depth is first reached. */
  nesting: number;
  deepest: Span | null;
  /** Its cyclomatic complexity: the ways through it. */
  branches: number;
}

/** Code that runs again and again. */
export interface Round {
  readonly body: Span;
  readonly nodes: readonly IrNode[];
  /** What decides how often: the head of the loop. */
  readonly head: readonly Expression[];
  /** What is bound anew each time. */
  readonly binds: readonly Expression[];
  readonly loop: Loop | null;
  /** The loop that it stands in. */
  outer: Round | null;
}

/** A thing in a function; null at the top level of the file. */
export interface Within<T> {
  readonly node: T;
  readonly fn: FunctionShape | null;
  /** The innermost loop around it, in its function. */
  readonly round?: Round | null;
}

/** Where the walk is. */
interface Frame {
  readonly fn: FunctionShape | null;
  /** The class whose body this is; null in a function and in the file. */
  readonly owner: ClassStatement | null;
  level: number;
  round: Round | null;
}

/** Methods that call their argument once per element. Some types with `map` and its like hold one element at most: see `isStream`. */
const forEach = /^(forEach|each|each_with_index|for_each)$/;
const mapping = /^(map|flatMap|filter|some|every|collect|mapToObj|mapNotNull)$/;

/** Hooks that take what a component does when it is mounted. */
const effect = /^use(Layout|Insertion)?Effect$/;

/** What a file looks like, gathered in one walk over its IR. */
export class FileShape {
  readonly functions: FunctionShape[] = [];
  readonly catches: (Within<Catch> & { readonly tried: readonly Statement[] })[] = [];
  /** Variables that are declared and given a value by a statement of a function. */
  readonly locals: Within<Assign>[] = [];
  readonly assigns: Within<Assign>[] = [];
  readonly calls: Within<Call>[] = [];
  readonly operations: Within<Operation>[] = [];
  readonly classes: ClassStatement[] = [];
  readonly regexes: Within<Literal>[] = [];
  readonly statements: Within<Statement>[] = [];
  readonly #text: string;
  readonly #language: string;
  readonly #open: Frame[] = [];
  /** `else if` is no deeper than the `if` it belongs to. */
  readonly #chained = new Set<IrNode>();
  readonly #called = new Map<FunctionNode, Round>();
  readonly #effects = new Set<FunctionNode>();
  readonly #declared = new Set<FunctionNode>();
  /** Resources that a try statement closes; their variables need no reader. */
  readonly #resources = new Set<IrNode>();

  constructor(module: Module, text: string, language: string) {
    this.#text = text;
    this.#language = language;
    this.#open.push({ fn: null, level: 0, owner: null, round: null });
    walk(
      module.body,
      (node) => this.#visit(node),
      (node) => this.#leave(node),
    );
  }

  #here() {
    return this.#open.at(-1) as Frame;
  }

  #visit(node: IrNode): void {
    const here = this.#here();
    const { fn } = here;
    if (!("kind" in node)) {
      this.#enter(node);
      return;
    }
    switch (node.kind) {
      case "class":
        this.classes.push(node);
        this.#open.push({ fn, level: here.level, owner: node, round: null });
        break;
      case "function":
        this.#declared.add(node.fn);
        break;
      case "branch":
        this.#deeper(node);
        if (node.otherwise.length === 1 && node.otherwise[0]?.kind === "branch") this.#chained.add(node.otherwise[0]);
        break;
      case "switch":
        this.#deeper(node);
        break;
      case "loop":
        this.#deeper(node);
        here.round = { ...roundOf(node), outer: here.round };
        fn?.rounds.push(here.round);
        break;
      case "sequence": {
        const round = comprehension(node.parts);
        if (round) fn?.rounds.push(round);
        break;
      }
      case "conditional":
        if (fn) fn.branches++;
        break;
      case "return":
        if (fn && node.value) fn.answers = true;
        break;
      case "operation":
        this.operations.push({ node, fn, round: here.round });
        if (fn && /^(&&|\|\||and|or)$/.test(node.operator)) fn.branches += node.operands.length - 1;
        break;
      case "try":
        this.#try(node);
        break;
      case "literal":
        if (node.regex) this.regexes.push({ node, fn, round: here.round });
        break;
      case "assign":
        this.assigns.push({ node, fn, round: here.round });
        break;
      case "call":
        this.calls.push({ node, fn, round: here.round });
        this.#callbacks(node);
        break;
      case "expression":
        this.statements.push({ node, fn });
        if (
          fn &&
          !here.owner &&
          node.value.kind === "assign" &&
          this.#isLocal(node.value) &&
          !this.#resources.has(node)
        )
          this.locals.push({ node: node.value, fn });
        break;
    }
  }

  #leave(node: IrNode): void {
    if (!("kind" in node) || node.kind === "class") this.#open.pop();
    else if (isControl(node) && !this.#chained.has(node)) this.#here().level--;
    if ("kind" in node && node.kind === "loop") this.#here().round = this.#here().round?.outer ?? null;
  }

  #enter(fn: FunctionNode): void {
    const { fn: around, owner } = this.#here();
    const each = this.#called.get(fn) ?? null;
    const shape: FunctionShape = {
      fn,
      around,
      owner,
      declared: this.#declared.has(fn),
      inside: [],
      rounds: [],
      each,
      effect: this.#effects.has(fn),
      answers: false,
      nesting: 0,
      deepest: null,
      branches: 1,
    };
    around?.inside.push(shape);
    this.functions.push(shape);
    this.#open.push({ fn: shape, level: 0, owner: null, round: null });
  }

  #deeper(node: IrNode): void {
    const here = this.#here();
    if (!this.#chained.has(node)) here.level++;
    const { fn, level } = here;
    if (!fn) return;
    fn.branches++;
    if (level <= fn.nesting) return;
    fn.nesting = level;
    fn.deepest = node;
  }

  #try(node: Try): void {
    const { fn } = this.#here();
    if (fn) fn.branches += node.catches.length;
    for (const clause of node.catches) this.catches.push({ node: clause, fn, tried: node.body });
    if (!/^try\s*\(/.test(this.#text.slice(node.start, node.start + 20))) return;
    const body = this.#text.indexOf("{", node.start);
    for (const statement of node.body) if (statement.start < body) this.#resources.add(statement);
  }

  /** Plain `x = value` as the language declares names; not what `with`, patterns and `+=` lower to. */
  #isLocal({ declares, to, from }: Assign): boolean {
    const isDeclared = declares || this.#language === "php";
    return isDeclared && to.kind === "variable" && (to.start < from.start || from.kind === "unknown");
  }

  #callbacks({ callee, args }: Call): void {
    const called = lastName(callee);
    const first = args[0]?.value;
    if (effect.test(called) && first?.kind === "closure") this.#effects.add(first.fn);
    if (callee.kind !== "field") return;
    const isEach = forEach.test(callee.name) || (mapping.test(callee.name) && this.#isStream(callee.of));
    if (!isEach) return;
    for (const { value } of args) {
      if (value.kind !== "closure") continue;
      const { fn } = value;
      const binds = fn.params.map((p): Expression => p.pattern ?? { ...p, kind: "variable", name: p.name });
      this.#called.set(fn, { body: fn, nodes: fn.body, head: [callee.of], binds, loop: null, outer: null });
    }
  }

  /** JavaScript and PHP map arrays and collections; what Java maps is an Optional or a Mono as often as a stream. */
  #isStream(of: Expression): boolean {
    if (!["java", "kotlin", "csharp", "rust"].includes(this.#language)) return true;
    return /\b(parallelS|s)tream\(\)|\bStream\.of\b|\.iter\(\)/.test(this.#text.slice(of.start, of.end));
  }
}

const isControl = (node: IrNode): boolean =>
  "kind" in node && (node.kind === "branch" || node.kind === "loop" || node.kind === "switch");

function roundOf(loop: Loop): Round {
  const { bind, test, update, body } = loop;
  const head = [bind, test, update].filter((part) => part !== null);
  const binds: Expression[] = [];
  walk(head, (node) => {
    if (!("kind" in node)) return;
    if (node.kind === "assign") binds.push(node.to);
    // `while (rows.next())`: what the object gives is another thing each time.
    if (!bind && node.kind === "call" && node.callee.kind === "field") binds.push(node.callee.of);
  });
  return { body: spanOf(body, loop), nodes: body, head, binds, loop, outer: null };
}

/** `[f(x) for x in xs]` is lowered to the binding of x and the list of one element. */
function comprehension(parts: readonly Expression[]): Round | null {
  const last = parts.at(-1);
  const element = last?.kind === "collection" ? last.entries[0] : undefined;
  const bound = parts.flatMap((part) =>
    part.kind === "assign" && part.from.kind === "index" && part.from.key === null ? [part] : [],
  );
  if (!element || bound.length === 0) return null;
  return {
    body: element,
    nodes: [element.value],
    head: bound,
    binds: bound.map(({ to }) => to),
    loop: null,
    outer: null,
  };
}

/** The outermost of the loops that run a place again and again. What stands in the head of a loop before its first round is run once. */
export function outermostAt(round: Round, { start, end }: Span): Round | null {
  let found: Round | null = null;
  for (let here: Round | null = round; here; here = here.outer)
    if (here.body.start <= start && here.body.end >= end) found = here;
  return found;
}

const spanOf = (body: readonly Span[], otherwise: Span): Span => ({
  start: body[0]?.start ?? otherwise.end,
  end: body.at(-1)?.end ?? otherwise.end,
});
