import type { FileArtefact, ParameterFlow } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { byCodeUnits, type PlacedCandidate, placeTrace } from "./link.ts";

/** Values that cross a file are followed with less certainty. */
const crossFileFactor = 0.9;

/** Connects attacker input handed to another file with the flow from that function's parameter to a sink. */
export function crossFileCandidates(catalogue: Catalogue, artefacts: readonly FileArtefact[]): PlacedCandidate[] {
  const byModule = modulesOf(artefacts);
  return artefacts.flatMap((artefact) =>
    artefact.link.calls.flatMap((call) => {
      const target = byModule.find(artefact.coverage.path, call.module);
      const exported = target?.link.exports.find((candidate) => candidate.name === call.name);
      if (!target || !exported || target === artefact) return [];
      return exported.flows
        .filter((flow) => flow.parameter === call.argument && accepts(catalogue, flow, call.sourceKind, call.clean))
        .map(({ candidate }) => ({
          path: target.coverage.path,
          candidate: {
            ...candidate,
            source: call.source,
            confidence: Math.round(candidate.confidence * crossFileFactor * 100) / 100,
          },
          trace: [
            ...placeTrace(artefact.coverage.path, call.trace),
            ...placeTrace(
              target.coverage.path,
              candidate.trace.map((step) => (step.role === "source" ? { ...step, role: "step" as const } : step)),
            ),
          ],
        }));
    }),
  );
}

function accepts(catalogue: Catalogue, flow: ParameterFlow, kind: string, clean: readonly string[]): boolean {
  const rule = catalogue.rules.get(flow.candidate.ruleId);
  return (
    rule !== undefined &&
    !clean.includes(rule.family) &&
    !flow.clean.includes(rule.family) &&
    catalogue.counts(rule, kind)
  );
}

/** Finds a module by what an import statement says: relative in JavaScript, dotted in Python. */
function modulesOf(artefacts: readonly FileArtefact[]) {
  const byPath = new Map<string, FileArtefact>();
  for (const artefact of [...artefacts].sort((a, b) => byCodeUnits(a.coverage.path, b.coverage.path))) {
    byPath.set(artefact.coverage.path.replace(/(\/(index|__init__))?\.\w+$/, ""), artefact);
  }
  return {
    find(from: string, module: string): FileArtefact | undefined {
      const folder = from.split("/").slice(0, -1);
      if (module.startsWith("./") || module.startsWith("../"))
        return byPath.get(resolve(folder, module.replace(/\.[cm]?[jt]sx?$/, "").split("/")));
      const dots = module.match(/^\.+/)?.[0].length ?? 0;
      const parts = module.slice(dots).split(".").filter(Boolean);
      if (dots > 0) return byPath.get([...folder.slice(0, folder.length - dots + 1), ...parts].join("/"));
      // An absolute import starts at some folder above: the nearest one wins.
      for (let depth = folder.length; depth >= 0; depth--) {
        const found = byPath.get([...folder.slice(0, depth), ...parts].join("/"));
        if (found) return found;
      }
      return undefined;
    },
  };
}

function resolve(folder: readonly string[], parts: readonly string[]): string {
  const path = [...folder];
  for (const part of parts) {
    if (part === "..") path.pop();
    else if (part !== "." && part !== "") path.push(part);
  }
  return path.join("/");
}
