import { wordTester } from "../catalogue/expression.ts";

/** What is longer is no name; this bounds how far matching can go back. */
const lengthMax = 300;

const folding = "(?i)";

/**
 * Asks whether an expression of a model is found in a name. Names are short and the expressions ours, so this is matched by the engine that
 * goes back and not by the one that takes linear time: that one needs ten times as long, for states that hardly a second name gets to.
 * @throws Error where only a part of the expression folds case: V8 13.6 forgets that of a part when it compiles an expression again
 */
export function nameTester(source: string): (name: string) => boolean {
  const folds = source.startsWith(folding);
  const written = folds ? source.replaceAll(folding, "") : source;
  if (written.includes(folding))
    throw new Error(`An expression of names folds case from its beginning or not at all: ${source}`);
  let mayBeIn: ((name: string) => boolean) | null = null;
  let pattern: RegExp | null = null;
  return (name) => {
    const looked = name.length > lengthMax ? name.slice(0, lengthMax) : name;
    mayBeIn ??= wordTester(source);
    if (!mayBeIn(looked)) return false;
    pattern ??= new RegExp(written, folds ? "i" : "");
    return pattern.test(looked);
  };
}
