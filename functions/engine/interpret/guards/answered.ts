import type { FunctionNode, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { evaluate } from "../evaluate.ts";
import { truth } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import { joinStates, type Variables } from "../scope.ts";
import { refine } from "./guards.ts";

/** Each way to an answer is followed on a state of its own; a question that has more of them is no question. */
const statementsMax = 40;

/**
 * `dirs.some((dir) => { const root = resolve(dir); if (path === root) return true; return path.startsWith(root + sep); })`: what holds on
 * each of the ways on which a function of several statements has said yes. It is read in the function around it, whose variables it asks
 * about; its own are forgotten again.
 */
export function refineAnswered(run: Run, frame: Frame, { body }: FunctionNode): void {
  const { own, isQuestion } = looksAt(body);
  if (!isQuestion) return;
  const before = frame.scope.copy();
  const outer = [...own].map((name) => [name, frame.scope.get(name), frame.scope.origins.get(name)] as const);
  const ways: Variables[] = [];
  follow(run, frame, body, ways);
  frame.scope.variables = ways.reduce<Variables | null>(joinStates, null) ?? before;
  for (const [name, value, origin] of outer) {
    if (value) frame.scope.set(name, value);
    else frame.scope.variables?.delete(name);
    if (origin) frame.scope.origins.set(name, origin);
    else frame.scope.origins.delete(name);
  }
}

/** Whether a function does nothing but look, and give variables of its own a value. */
function looksAt(body: readonly Statement[]): { own: ReadonlySet<string>; isQuestion: boolean } {
  const own = new Set<string>();
  let statements = 0;
  let isQuestion = true;
  walk(body, (node) => {
    if (!("kind" in node)) return;
    if (node.kind === "assign") {
      if (node.to.kind === "variable" && (node.declares || own.has(node.to.name))) own.add(node.to.name);
      else isQuestion = false;
    }
    if (followed.has(node.kind)) statements++;
    else if (other.has(node.kind)) isQuestion = false;
  });
  return { own, isQuestion: isQuestion && statements > 0 && statements <= statementsMax };
}

const followed: ReadonlySet<string> = new Set(["expression", "block", "branch", "try", "return", "throw"]);
const other: ReadonlySet<string> = new Set(["switch", "loop", "jump", "function", "class", "import", "closure"]);

function follow(run: Run, frame: Frame, body: readonly Statement[], ways: Variables[]): void {
  const { scope } = frame;
  for (const statement of body) {
    if (!scope.alive) return;
    run.charge();
    if (statement.kind === "expression") evaluate(run, frame, statement.value);
    else if (statement.kind === "block") follow(run, frame, statement.body, ways);
    else if (statement.kind === "branch") {
      const before = scope.copy();
      refine(run, frame, statement.test, true);
      follow(run, frame, statement.then, ways);
      const after = scope.variables;
      scope.variables = before;
      refine(run, frame, statement.test, false);
      follow(run, frame, statement.otherwise, ways);
      scope.variables = joinStates(after, scope.variables);
    } else if (statement.kind === "try") {
      const before = scope.copy();
      follow(run, frame, statement.body, ways);
      const after = scope.variables;
      let joined = after;
      for (const { body: caught } of statement.catches) {
        scope.variables = before;
        scope.variables = scope.copy();
        follow(run, frame, caught, ways);
        joined = joinStates(joined, scope.variables);
      }
      scope.variables = joined;
      follow(run, frame, statement.last, ways);
    } else {
      if (statement.kind === "return" && statement.value && truth(evaluate(run, frame, statement.value)) !== false) {
        refine(run, frame, statement.value, true);
        if (scope.variables) ways.push(scope.variables);
      }
      scope.variables = null;
    }
  }
}
