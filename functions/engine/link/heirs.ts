import type { FileArtefact } from "../artefact.ts";
import { ofHeirs } from "../interpret/calls/handover.ts";
import type { Target } from "./modules.ts";

/** More classes that extend one are variants of one another; the same bounds the files that are looked through for each. */
const heirsMax = 12;
/** Classes between one that leaves a method open and one that has it. */
const stepsMax = 2;

/**
 * What classes of other files make of a method that a class of Python or JavaScript leaves open; those of its own file are known there.
 * @param implementers files by the names of what their classes extend
 * @param target "~Loader.load"
 */
export function heirsOf(
  implementers: ReadonlyMap<string, readonly FileArtefact[]>,
  from: string,
  target: string,
): Target[] {
  const [owner, method] = target.slice(ofHeirs.length).split(".") as [string, string];
  const found: Target[] = [];
  const seen = new Set([owner]);
  let bases = [owner];
  for (let step = 0; step <= stepsMax && bases.length > 0; step++) {
    const heirs = bases
      .flatMap((base) => extending(implementers.get(base) ?? [], base))
      .filter(([, name]) => !seen.has(name));
    bases = [];
    for (const [artefact, name] of heirs.slice(0, heirsMax)) {
      seen.add(name);
      const exported = artefact.link.exports.find((own) => own.name === `${name}.${method}`);
      if (!exported) bases.push(name);
      else if (artefact.coverage.path !== from) found.push({ artefact, exported });
    }
  }
  return found.slice(0, heirsMax);
}

/** The classes of Python and JavaScript that extend one of that name. */
const extending = (artefacts: readonly FileArtefact[], base: string): [artefact: FileArtefact, name: string][] =>
  artefacts
    .filter(({ coverage }) => /^(python|(java|type)script)$/.test(coverage.language))
    .slice(0, heirsMax)
    .flatMap((artefact) =>
      artefact.link.classes.flatMap(({ name, bases }): [FileArtefact, string][] =>
        bases.includes(base) ? [[artefact, name]] : [],
      ),
    );
