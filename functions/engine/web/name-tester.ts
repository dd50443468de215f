/** What is longer is no name; this bounds how far matching can go back. */
const lengthMax = 300;

/**
 * Asks whether an expression of a model is found in a name. Names are short and the expressions ours, so this is matched by the engine that
 * goes back and not by the one that takes linear time: that one needs ten times as long, for states that hardly a second name gets to.
 */
export function nameTester(source: string): (name: string) => boolean {
  // Models write the syntax of the other engine, where a flag holds for all that follows.
  const [before, ...folded] = source.split("(?i)");
  const pattern = new RegExp(folded.length === 0 ? source : `${before}(?i:${folded.join("")})`);
  return (name) => pattern.test(name.length > lengthMax ? name.slice(0, lengthMax) : name);
}
