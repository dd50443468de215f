import { lastName } from "../../ir/called-name.ts";
import type { Expression, Statement } from "../../ir/ir.ts";
import { calledBy } from "../calls/called.ts";
import { check } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";

/** What rules call something that a page does to send a stranger away, and then goes on. */
const goesOn = "<goes-on>";

const identity =
  /user|admin|log(ged)?_?-?(in|on)|auth|uid|role|member|account|customer|client|staff|student|teacher|employee|patient|doctor|e?mail|^(sess(ion)?_?)?id$|level|privilege/i;
const passing =
  /reset|forgot|otp|verif|confirm|cart|order|temp|pending|regist|csrf|token|step|msg|message|error|success/i;
const asksWhoIsThere = /^(is|check|has)?_*(\w+_)?(logged_?in|auth(enticated|ori[sz]ed)?|admin)$/i;

/**
 * `if (!isset($_SESSION["user"])) header("Location: login.php");` does not end the page: whoever ignores the header gets the rest.
 * Asked where the branch has come to its end and something can follow.
 */
export function noteRefusal(run: Run, frame: Frame, test: Expression, then: readonly Statement[]): void {
  if (run.language !== "php" || !frame.scope.alive || !refuses(run, frame, test)) return;
  const { checks } = run.knowledge.calls.find(goesOn);
  for (const statement of then.flatMap((one) => (one.kind === "block" ? one.body : [one]))) {
    if (statement.kind !== "expression" || statement.value.kind !== "call") continue;
    const call = statement.value;
    const { positional, named, receiver, names } = calledBy(run, frame, call);
    frame.statement = call;
    check(run, frame, checks, { positional, named, receiver, receiverPaths: names, at: call, name: call.callee });
  }
}

/** Whether the test holds for those who have not logged in. */
function refuses(run: Run, frame: Frame, test: Expression): boolean {
  if (test.kind === "call")
    return (
      test.callee.kind === "variable" &&
      test.callee.name === "empty" &&
      test.args.every(({ value }) => isIdentity(run, frame, value))
    );
  if (test.kind !== "operation") return false;
  const [left, right] = test.operands;
  if (!left) return false;
  switch (test.operator) {
    case "!":
    case "not":
      return isIdentity(run, frame, left);
    case "||":
    case "or":
      return test.operands.some((operand) => refuses(run, frame, operand));
    case "&&":
    case "and":
      return test.operands.every((operand) => refuses(run, frame, operand));
    case "==":
    case "===":
      return (
        right !== undefined && isIdentity(run, frame, left) && !evaluate(run, frame, right).constants?.every(Boolean)
      );
    case "!=":
    case "!==":
    case "<>":
      return (
        right !== undefined &&
        isIdentity(run, frame, left) &&
        evaluate(run, frame, right).constants?.every(Boolean) === true
      );
    default:
      return false;
  }
}

/** Something of the session that tells who is there, also by way of a variable, or a function that is called after it. */
function isIdentity(run: Run, frame: Frame, asked: Expression): boolean {
  if (asked.kind === "call") {
    const { callee, args } = asked;
    const name = lastName(callee);
    if (name === "isset" || name === "empty") return args.every(({ value }) => isIdentity(run, frame, value));
    return asksWhoIsThere.test(name);
  }
  const origin = asked.kind === "variable" ? frame.scope.binding(asked.name)?.origins.get(asked.name) : asked;
  if (origin?.kind === "operation" && origin.operator === "??" && !run.asked.has(origin)) {
    // `$user = $user ?? null` asks about itself.
    run.asked.add(origin);
    const isOfSession = isIdentity(run, frame, origin.operands[0] as Expression);
    run.asked.delete(origin);
    return isOfSession;
  }
  // What has been tested is known by its name only.
  return [accessPath(asked) ?? "", ...evaluate(run, frame, asked).paths].some((path) => {
    const [, key] = path.match(/^\$_SESSION\.(.+)$/) ?? [];
    return key !== undefined && identity.test(key) && !passing.test(key);
  });
}
