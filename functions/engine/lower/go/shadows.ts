import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";

/** Outcomes and the like are told by what they are called, and are asked right where they are. */
const kept = /^(_|err|\w*Err|err\w*|ok|found|exists|ctx)$/;
/** Blocks lie in few others; what goes through more of them altogether is no program. */
const stepsMax = 1_000_000;
/** More names are left as they are: each is a variable more that every branch carries along. */
const renamedMax = 100;
/** Names that hide others, of which it is asked whether it matters. */
const hidingMax = 1_000;

/** What stands behind a name that means another variable than the same name around it. */
export const shadowMark = "'";

interface Scope {
  readonly node: SyntaxNode;
  readonly around: Scope | null;
  /** Variables of one function are apart from those of functions in it anyway. */
  readonly fn: SyntaxNode;
  readonly names: Map<string, Variable>;
}

interface Variable {
  readonly name: string;
  readonly scope: Scope;
  /** Where it is declared and used. */
  readonly places: number[];
  /** The variable around it that goes by the same name. */
  readonly hides?: Variable | undefined;
}

const isFunction = (node: SyntaxNode): boolean =>
  /^(function_declaration|method_declaration|func_literal)$/.test(node.type);
const opens =
  /^(block|(if|for|expression_switch|type_switch|select)_statement|(expression|default|type|communication)_case)$/;

/**
 * `if page, err := strconv.Atoi(page); err == nil {`: what the inner block calls by the name of a variable around it is another one, which
 * does not outlive the block. Gives such names others, where both are asked for afterwards.
 * @returns by where they stand
 */
export function shadowsIn(root: SyntaxNode, textOf: (node: SyntaxNode) => string): ReadonlyMap<number, string> {
  const hiding: Variable[] = [];
  let scope = null as Scope | null;
  let steps = 0;
  const lookUp = (from: Scope | null, name: string): Variable | undefined => {
    for (let here = from; here && steps < stepsMax; here = here.around, steps++) {
      const found = here.names.get(name);
      if (found) return found;
    }
    return undefined;
  };
  const open: (SyntaxNode | (() => void))[] = [...root.children].reverse();
  /** To be done in that order. */
  const next = (...steps: (SyntaxNode | undefined | (() => void))[]): void => {
    for (const step of steps.reverse()) if (step) open.push(step);
  };
  const declare = (names: readonly SyntaxNode[]): void => {
    for (const node of names) if (node.type === "identifier") declareOne(node);
  };
  function declareOne(node: SyntaxNode): void {
    if (!scope) return;
    const name = textOf(node);
    const same = scope.names.get(name);
    if (same) same.places.push(node.start);
    else {
      const outer = lookUp(scope.around, name);
      const variable = { name, scope, places: [node.start], hides: outer?.scope.fn === scope.fn ? outer : undefined };
      scope.names.set(name, variable);
      if (variable.hides && !kept.test(name) && hiding.length < hidingMax) hiding.push(variable);
    }
  }
  for (let step = open.pop(); step; step = open.pop()) {
    if (typeof step === "function") {
      step();
      continue;
    }
    const node: SyntaxNode = step;
    if (isFunction(node) || opens.test(node.type)) {
      const around: Scope | null = scope;
      scope = { node, around, fn: around && !isFunction(node) ? around.fn : node, names: new Map() };
      next(() => {
        scope = around;
      });
      if (isFunction(node)) {
        const lists = ["receiver", "parameters", "result"].map((field) => childIn(node, field));
        for (const list of lists) for (const given of list?.children ?? []) declare(childrenIn(given, "name"));
        next(childIn(node, "body"));
      } else {
        declare(listed(childIn(node, "alias")));
        next(...node.children.filter(({ field }) => field !== "alias"));
      }
      continue;
    }
    switch (node.type) {
      case "identifier":
        lookUp(scope, textOf(node))?.places.push(node.start);
        break;
      case "short_var_declaration":
        next(childIn(node, "right"), () => declare(listed(childIn(node, "left"))));
        break;
      case "range_clause": {
        const [left, right] = [childIn(node, "left"), childIn(node, "right")];
        const declares = left && right && textOf({ ...left, start: left.end, end: right.start }).includes(":=");
        next(right, declares ? () => declare(listed(left)) : left);
        break;
      }
      case "var_spec":
      case "const_spec":
        next(childIn(node, "value"), () => declare(childrenIn(node, "name")));
        break;
      case "keyed_element":
        // A key is a field, as a rule.
        next(...node.children.slice(1));
        break;
      case "function_type":
      case "type_declaration":
      case "import_declaration":
        break;
      default:
        next(...node.children);
    }
  }
  if (steps >= stepsMax) return new Map();
  return new Map(
    hiding
      .filter(isAskedForBoth)
      .slice(0, renamedMax)
      .flatMap(({ name, places }, i) => places.map((place) => [place, `${name}${shadowMark}${i}`] as const)),
  );
}

const listed = (field: SyntaxNode | undefined): readonly SyntaxNode[] =>
  field?.type === "expression_list" ? field.children : field ? [field] : [];

/** Whether the variable around is asked for behind the inner one, or in the next round of a loop that both are in. */
function isAskedForBoth({ scope, hides, places: [declared = 0] }: Variable): boolean {
  let from = declared;
  for (let here: Scope | null = scope; here && here !== hides?.scope; here = here.around)
    if (here.node.type === "for_statement") from = here.node.start;
  const { start, end } = scope.node;
  return hides?.places.some((place) => place > from && !(place >= start && place < end)) ?? false;
}
