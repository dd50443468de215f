import type { SyntaxNode } from "../parse/syntax.ts";
import { type Bindings, noBindings } from "./bindings.ts";
import type { Matcher } from "./matcher.ts";
import type { CompiledPattern, Pattern, PatternNode } from "./pattern.ts";
import { callsAnything } from "./pattern-forms.ts";
import { sequencesFrom } from "./statement-sequence.ts";
import {
  anyFor,
  callTypes,
  forTypes,
  groupOf,
  holdsStatements,
  isCall,
  isExpression,
  isMember,
  peeled,
  stringTypes,
  templateTypes,
} from "./syntax-forms.ts";

/** A stretch of the file that a pattern matches. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly bindings: Bindings;
}

/** All places in a file, or in a part of it, where a pattern matches. */
export function findPattern(matcher: Matcher, { items, words }: CompiledPattern, within: SyntaxNode | null): Found[] {
  const { file } = matcher;
  if (words.some((word) => !file.words.has(word))) return [];
  const inside = (node: SyntaxNode) => within === null || (node.start >= within.start && node.end <= within.end);
  if (items.length > 1) {
    const lists = file.all.filter((node) => holdsStatements(node.type) && inside(node));
    return lists.flatMap(({ children }) =>
      children.flatMap((node, i) =>
        sequencesFrom(matcher, items, children, i).map(({ bindings, end }) => ({ start: node.start, end, bindings })),
      ),
    );
  }
  const [pattern] = items as [Pattern];
  const found: Found[] = [];
  for (const node of candidates(matcher, pattern, within)) {
    // What only wraps another node is looked at as that node.
    if (peeled(node) !== node || !inside(node)) continue;
    // What decorates a function or a class is a part of it.
    const { start, end } = file.decorated(node);
    for (const bindings of matcher.node(pattern, node, noBindings)) found.push({ start, end, bindings });
  }
  return found;
}

/** The nodes that can match at all, by what stands at the root of the pattern. */
function candidates({ file, budget }: Matcher, pattern: Pattern, within: SyntaxNode | null): readonly SyntaxNode[] {
  const groups = (names: Iterable<string>) => [...names].flatMap((name) => file.ofGroup(name));
  switch (pattern.kind) {
    case "node": {
      const called = calledName(pattern);
      if (called !== null) return file.callsOf(pattern.type, called);
      if (callsAnything(pattern)) return groups([...callTypes].map(groupOf));
      if (pattern.type === anyFor) return groups(forTypes);
      if (pattern.type === "return_statement") return [...file.ofGroup(pattern.type), ...file.bodies];
      if (pattern.type === "import_statement") return groups(["import_statement", "import_from_statement"]);
      const own = file.ofGroup(pattern.type);
      const [of, name] = pattern.children;
      const mayBeImported = isMember(pattern.type) && of?.pattern.kind === "path" && name?.pattern.kind === "any";
      return mayBeImported ? [...own, ...file.ofGroup("name")] : own;
    }
    case "assign":
      return groups(assignments);
    case "text":
    case "template": {
      const texts = groups([...stringTypes, ...templateTypes]);
      // A name that is asked about may stand for a text.
      return within && groupOf(within.type) === "name" ? [...texts, within] : texts;
    }
    case "path":
      return groups(named);
    default:
      budget.charge(file.all.length >> 6);
      return file.all.filter((node) => isExpression(node.type));
  }
}

/** The last name of what a pattern calls; null where any will do. */
function calledName(pattern: PatternNode): string | null {
  if (!isCall(pattern.type)) return null;
  const callee =
    pattern.children.find(({ field }) => field === "function") ??
    pattern.children.find(({ field }) => field === "name");
  return callee ? lastName(callee.pattern) : null;
}

function lastName(pattern: Pattern): string | null {
  if (pattern.kind === "path") return pattern.segments.at(-1) ?? null;
  const last = pattern.kind === "node" && isMember(pattern.type) ? pattern.children.at(-1) : undefined;
  return last?.pattern.kind === "path" ? lastName(last.pattern) : null;
}

const assignments = [
  "assignment_expression",
  "assignment_statement",
  "assignment",
  "short_var_declaration",
  "variable_declarator",
  "var_spec",
  "public_field_definition",
  "field_definition",
  "named_expression",
  "const_spec",
  "const_element",
  "property_element",
];
const named = ["name", "member_expression", "attribute", "field_access", "scoped_identifier", "selector_expression"];
