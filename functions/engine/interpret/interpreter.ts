import { type Catalogue, modelLanguage } from "../catalogue/catalogue.ts";
import { isForCommandLine } from "../ir/command-line.ts";
import type { FunctionNode, Module, Statement } from "../ir/ir.ts";
import { eachChild, type IrNode } from "../ir/walk.ts";
import type { TimeLimit } from "../time-limit.ts";
import { followedStepsMax, newFrame, summarise } from "./calls/invoke.ts";
import { execute } from "./execute.ts";
import { BudgetExhausted, type Marks, Run } from "./run.ts";
import { noteSchemas } from "./validators/route-schemas.ts";
import { leavePage } from "./views/includes.ts";
import { renderClasses } from "./views/template-calls.ts";

/** What interpreting one file gave. `exhausted`: the steps or the time ran out; `truncated`: some code was nested too deeply. */
export interface Interpretation {
  run: Run;
  exhausted: boolean;
}

/** Runs a file: its top level first, then every function nothing in the file has called, on unknown arguments. */
export function interpret(
  catalogue: Catalogue,
  module: Module,
  language: string,
  text: string,
  marks: Marks | null = null,
  limit?: TimeLimit,
): Interpretation {
  const knowledge = catalogue.knowledge(language, importsOf(module.body, language), text);
  const run = new Run(catalogue, knowledge, modelLanguage(language), text, marks, limit);
  run.page.body = module.body;
  run.unread = module.errors;
  run.isForCommandLine = run.language === "php" && isForCommandLine(module.body, text);
  try {
    run.followUntil = run.steps + followedStepsMax;
    const file = newFrame(null, run.file, null, null, "");
    execute(run, file, run.language === "javascript" ? functionsFirst(module.body) : module.body);
    // Running one function can meet others; Map order is the order they were met in.
    for (const closure of run.closures.values()) {
      run.followUntil = run.steps + followedStepsMax;
      if (!run.visited.has(closure.fn) || !isCallback(run, closure.fn)) summarise(run, closure);
    }
    leavePage(run, file);
    if (run.language === "javascript") noteSchemas(run, file.scope);
    if (run.language === "python") renderClasses(run);
    return { run, exhausted: false };
  } catch (error) {
    if (error instanceof BudgetExhausted) return { run, exhausted: true };
    throw error;
  }
}

/**
 * `const find = async (name) => …`: a handler that stands above is called when all of the file has been run, and finds it there as it finds
 * functions that are declared.
 */
const functionsFirst = (body: readonly Statement[]): readonly Statement[] => [
  ...body.filter(holdsFunction),
  ...body.filter((statement) => !holdsFunction(statement)),
];

const holdsFunction = (statement: Statement): boolean =>
  statement.kind === "expression" &&
  statement.value.kind === "assign" &&
  statement.value.declares &&
  statement.value.to.kind === "variable" &&
  statement.value.from.kind === "closure";

/** Anonymous functions that were passed somewhere have been run there, with what is known there. */
const isCallback = (run: Run, fn: FunctionNode): boolean => fn.name === "" && !run.named.has(fn);

/** Where statements may be, and imports with them, in languages that have none within expressions. */
const holdsStatements: ReadonlySet<string> = new Set(["block", "branch", "switch", "loop", "try", "function", "class"]);

/** The modules a file names anywhere: in imports, and in calls of `require`, which JavaScript goes on with as it likes: `require("koa-router")()`. */
function importsOf(body: readonly Statement[], language: string): ReadonlySet<string> {
  const modules = new Set<string>();
  const areStatements = /^(python|java)$/.test(language);
  // Lowering bounds how deep this goes.
  const look = (node: IrNode): void => {
    if ("kind" in node && node.kind === "import") modules.add(node.module);
    if ("kind" in node && node.kind === "call" && node.callee.kind === "variable" && node.callee.name === "require") {
      const module = node.args[0]?.value;
      if (module?.kind === "literal" && typeof module.value === "string")
        modules.add(module.value.replace(/^node:/, ""));
    }
    if (areStatements && "kind" in node && !holdsStatements.has(node.kind)) return;
    eachChild(node, look);
  };
  for (const statement of body) look(statement);
  return modules;
}
