import { functionName } from "./called-name.ts";
import type { Expression, Statement } from "./ir.ts";

/**
 * Whether a file of PHP is a script for the command line only, which no visitor asks for: it begins like one, or it leaves by itself
 * where anybody else runs it, `if (PHP_SAPI !== "cli") exit;`.
 */
export const isForCommandLine = (body: readonly Statement[], text: string): boolean =>
  text.startsWith("#!") || body.some(leavesUnlessCommandLine);

function leavesUnlessCommandLine(statement: Statement): boolean {
  if (statement.kind === "block") return statement.body.some(leavesUnlessCommandLine);
  if (statement.kind !== "branch") return false;
  // `PHP_SAPI === "cli" or die("...")` is a branch that does nothing where the test holds.
  const { test, then, otherwise } = statement;
  return (isElsewhere(test) && then.some(leaves)) || (isCompared(test, /^===?$/) && otherwise.some(leaves));
}

function leaves(statement: Statement): boolean {
  if (statement.kind === "block") return statement.body.some(leaves);
  if (statement.kind === "return" || statement.kind === "throw") return true;
  return statement.kind === "expression" && statement.value.kind === "call" && isExit(statement.value);
}

const isExit = (call: Expression): boolean => call.kind === "call" && /^(exit|die)$/i.test(functionName(call));

/** What holds wherever it is not the command line that runs the file, whatever else is asked besides. */
function isElsewhere(test: Expression): boolean {
  if (test.kind !== "operation") return false;
  if (test.operator === "||") return test.operands.some(isElsewhere);
  const [negated] = test.operands;
  if (test.operator === "!" && negated) return isCompared(negated, /^===?$/);
  return isCompared(test, /^!==?$/);
}

function isCompared(test: Expression, by: RegExp): boolean {
  if (test.kind !== "operation" || !by.test(test.operator)) return false;
  return (
    test.operands.some((side) => side.kind === "literal" && side.value === "cli") &&
    test.operands.some(
      (side) =>
        (side.kind === "variable" && side.name === "PHP_SAPI") ||
        (side.kind === "call" && functionName(side) === "php_sapi_name"),
    )
  );
}
