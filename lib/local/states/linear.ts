import type { Json } from "../service.ts";

const linearParts = new Set(["type", "value", "position", "steps", "lhs", "rhs", "condition", "then", "else"]);
const linearOperators = new Set(["+", "-", "*", "/", "%", "&", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in"]);

/** True for look-ups, literals, and operators on such: no function, predicate, regex or range that could multiply work. */
export function isLinear(node: Json): boolean {
  if (!Object.keys(node).every((part) => linearParts.has(part))) return false;
  switch (node.type) {
    case "string":
    case "number":
    case "value":
    case "variable":
    case "name":
      return true;
    case "path":
      return node.steps.every(
        (step: Json, index: number) => step.type === (index === 0 ? "variable" : "name") && isLinear(step),
      );
    case "binary":
      return linearOperators.has(node.value) && isLinear(node.lhs) && isLinear(node.rhs);
    case "condition":
      return isLinear(node.condition) && isLinear(node.then) && (node.else === undefined || isLinear(node.else));
    default:
      return false;
  }
}
