import type { Span } from "../ir/ir.ts";
import { append } from "../multimap.ts";
import { childIn, type Syntax, type SyntaxNode } from "../parse/syntax.ts";
import { type Aliases, aliasesOf } from "./aliases.ts";
import {
  assignmentOf,
  calleeOf,
  groupOf,
  isExpression,
  isNamed,
  memberOf,
  peeled,
  staticText,
} from "./syntax-forms.ts";

/** One parsed file with what all rules ask about it, each found out once and only when somebody asks. */
export class FileUnderMatch {
  readonly text: string;
  readonly grammar: string;
  readonly root: SyntaxNode;
  readonly comments: readonly Span[];
  #byGroup: Map<string, SyntaxNode[]> | null = null;
  #all: SyntaxNode[] | null = null;
  #calls: Map<string, SyntaxNode[]> | null = null;
  #words: ReadonlySet<string> | null = null;
  #aliases: Aliases | null = null;
  #constants: Map<string, SyntaxNode> | null = null;
  #types: Map<string, Set<string>> | null = null;
  #decorated: Map<SyntaxNode, SyntaxNode> | null = null;

  constructor(text: string, grammar: string, syntax: Pick<Syntax, "root" | "comments">) {
    this.text = text;
    this.grammar = grammar;
    this.root = syntax.root;
    this.comments = syntax.comments;
  }

  textOf(node: Span): string {
    return this.text.slice(node.start, node.end);
  }

  /** Every name in the file, comments and texts included. */
  get words(): ReadonlySet<string> {
    this.#words ??= wordsIn(this.text);
    return this.#words;
  }

  /** All nodes in source order. */
  get all(): readonly SyntaxNode[] {
    this.#all ??= descendants(this.root);
    return this.#all;
  }

  ofGroup(group: string): readonly SyntaxNode[] {
    if (!this.#byGroup) {
      this.#byGroup = new Map();
      for (const node of this.all) {
        append(this.#byGroup, groupOf(node.type), node);
      }
    }
    return this.#byGroup.get(group) ?? [];
  }

  /** Calls whose last name is this one, as it is written or as it was imported, and those that have no name. */
  callsOf(type: string, name: string): readonly SyntaxNode[] {
    if (!this.#calls) {
      this.#calls = new Map();
      for (const node of this.all) {
        const callee = calleeOf(node);
        if (callee)
          for (const key of this.#calledNames(peeled(callee)))
            append(this.#calls, `${groupOf(node.type)} ${key}`, node);
      }
    }
    const named = this.#calls.get(`${type} ${name}`) ?? [];
    const nameless = this.#calls.get(`${type} `) ?? [];
    return nameless.length === 0 ? named : [...named, ...nameless];
  }

  #calledNames(callee: SyntaxNode): ReadonlySet<string> {
    const last = memberOf(callee)?.name ?? callee;
    if (groupOf(last.type) !== "name") return new Set([""]);
    const written = this.textOf(last);
    const imported =
      last === callee ? this.qualified(written).map((path) => path.slice(path.lastIndexOf(".") + 1)) : [];
    return new Set([written, ...imported]);
  }

  /** Expressions that functions give without saying so: `x => x.id`. */
  get bodies(): readonly SyntaxNode[] {
    return ["function", "lambda"].flatMap((group) =>
      this.ofGroup(group).flatMap(({ children }) => children.filter(isBody)),
    );
  }

  /** A function or class with its decorators, everything else as it is. */
  decorated(node: SyntaxNode): SyntaxNode {
    this.#decorated ??= new Map(
      this.ofGroup("decorated_definition").flatMap((outer) => outer.children.map((inner) => [inner, outer] as const)),
    );
    return (/_definition$/.test(node.type) && this.#decorated.get(node)) || node;
  }

  /** The qualified names that a name of this file may stand for. */
  qualified(name: string): string[] {
    const known = this.imported(name);
    return known.length > 0 ? known : this.#imports.opened.map((module) => `${module}.${name}`);
  }

  /** The qualified name that a name of this file was imported by, if it was. */
  imported(name: string): string[] {
    const known = this.#imports.names.get(name);
    return known === undefined ? [] : [known];
  }

  get #imports(): Aliases {
    this.#aliases ??= aliasesOf(this);
    return this.#aliases;
  }

  /** The text that a node always has: written there, in pieces, or by names that stand for one text in all of the file. */
  knownText(node: SyntaxNode, depth = 0): string | null {
    const here = peeled(node);
    const written = staticText(here, this.text);
    if (written !== null || depth > foldingMax) return written;
    const all = (parts: readonly SyntaxNode[]): string | null => {
      let joined = "";
      for (const part of parts) {
        const isPiece = /^string_(fragment|content|value)$/.test(part.type);
        const text = isPiece ? this.textOf(part) : this.knownText(part, depth + 1);
        if (text === null || joined.length + text.length > foldedMax) return null;
        joined += text;
      }
      return parts.length === 0 ? null : joined;
    };
    if (isNamed(here)) {
      const value = this.constant(this.textOf(here));
      return value && this.knownText(value, depth + 1);
    }
    const sum = summands(here, this.text);
    if (sum) return all(sum);
    return /^(template_string|template_substitution|interpolation)$/.test(here.type) ? all(here.children) : null;
  }

  /** The literal that a name always stands for: it is assigned once in the whole file. */
  constant(name: string): SyntaxNode | null {
    this.#constants ??= constantsOf(this);
    return this.#constants.get(name) ?? null;
  }

  /** Types that variables and parameters of this name are declared with. */
  declaredTypes(name: string): ReadonlySet<string> {
    this.#types ??= typesOf(this);
    return this.#types.get(name) ?? none;
  }
}

const none: ReadonlySet<string> = new Set();

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_][A-Za-z0-9_]{2,}/g));
}

/** Whether a node is all that a function computes: an expression in the place of a block. */
export const isBody = ({ field, type }: SyntaxNode): boolean => field === "body" && isExpression(type);

/** A node with all below it, in source order; `enters` may keep out of what a node holds. */
export function descendants(root: SyntaxNode, enters: (node: SyntaxNode) => boolean = () => true): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node);
    if (!enters(node)) continue;
    for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i] as SyntaxNode);
  }
  return found;
}

/** Constants made of constants; more would be a chain that nobody writes. */
const foldingMax = 8;
/** UTF-16 units of a text that is put together: a constant may be as long as the file, and named in it thousands of times. */
const foldedMax = 10_000;

const assigning = [
  "assignment_expression",
  "assignment_statement",
  "assignment",
  "short_var_declaration",
  "variable_declarator",
  "var_spec",
  "const_spec",
  "const_element",
];

function constantsOf(file: FileUnderMatch): Map<string, SyntaxNode> {
  const seen = new Map<string, SyntaxNode | null>();
  const note = (name: string, value: SyntaxNode | null) => seen.set(name, seen.has(name) ? null : value);
  for (const node of assigning.flatMap((type) => file.ofGroup(type))) {
    const sides = assignmentOf(node, file.text);
    if (!sides) continue;
    const { left, right } = sides;
    if (isNamed(left)) note(file.textOf(left), isConstant(right, file.text) || isPlain(right) ? right : null);
  }
  // What a loop, a caller or `+=` gives is never one constant.
  const changing = [
    "augmented_assignment",
    "augmented_assignment_expression",
    "update_expression",
    "for_in_statement",
    "for_statement",
  ];
  for (const node of changing.flatMap((type) => file.ofGroup(type))) {
    const target = childIn(node, "left") ?? childIn(node, "argument");
    if (target) seen.set(file.textOf(target), null);
  }
  return new Map([...seen].flatMap(([name, value]) => (value ? [[name, value] as const] : [])));
}

/** Numbers and truth values. */
const isPlain = ({ type, children }: SyntaxNode): boolean =>
  children.length === 0 &&
  /^(true|false|boolean|number|integer|float|int_literal|float_literal|decimal_\w+_literal)$/.test(type);

/** Text that is known, in one piece or several. */
export function isConstant(node: SyntaxNode, text: string): boolean {
  const open = [peeled(node)];
  for (let here = open.pop(); here; here = open.pop()) {
    if (staticText(here, text) !== null) continue;
    const sum = summands(here, text);
    if (!sum) return false;
    open.push(...sum.map(peeled));
  }
  return true;
}

/** What is joined to one text. */
function summands({ type, children }: SyntaxNode, text: string): readonly SyntaxNode[] | null {
  const [left, operator, right] = children;
  const isSum = type === "binary_expression" || type === "binary_operator";
  if (!isSum || !left || !operator || !right) return null;
  return /^[+.]$/.test(text.slice(operator.start, operator.end)) ? [left, right] : null;
}

function typesOf(file: FileUnderMatch): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  const note = (name: string, type: string) => {
    const known = types.get(name) ?? new Set<string>();
    types.set(name, known.add(type.replace(/^:\s*|<[\s\S]*$/g, "").trim()));
  };
  for (const node of file.all) {
    const type = childIn(node, "type");
    if (!type) continue;
    for (const child of node.children) {
      if (child.field === "declarator") note(file.textOf(childIn(child, "name") ?? child), file.textOf(type));
      if (child.field === "name" || child.field === "pattern") note(file.textOf(child), file.textOf(type));
    }
  }
  return types;
}
