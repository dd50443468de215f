import type { FileArtefact, OutgoingCall } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { TraceStep } from "../finding.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";
import { Modules } from "./modules.ts";

/** Each file a value crosses makes it a little less certain. */
const crossingFactor = 0.9;
const crossingsMax = 5;
const stepsMax = 20;

/** Follows attacker input that is handed to other files, on through theirs, to the sinks it reaches. */
export function crossFileCandidates(catalogue: Catalogue, artefacts: readonly FileArtefact[]): PlacedCandidate[] {
  const modules = new Modules(artefacts);
  return artefacts.flatMap((artefact) =>
    artefact.link.calls.flatMap((call) => follow(catalogue, modules, artefact, call)),
  );
}

interface Way {
  from: string;
  target: string;
  argument: number;
  clean: readonly string[];
  trace: readonly TraceStep[];
  crossings: number;
}

function follow(catalogue: Catalogue, modules: Modules, artefact: FileArtefact, call: OutgoingCall): PlacedCandidate[] {
  const found: PlacedCandidate[] = [];
  const from = artefact.coverage.path;
  const open: Way[] = [{ ...call, from, trace: placeTrace(from, call.trace), crossings: 1 }];
  const seen = new Set<string>();
  for (let way = open.pop(); way; way = open.pop()) {
    for (const { artefact: target, exported } of modules.find(way.from, way.target)) {
      const { path } = target.coverage;
      const key = `${path}|${exported.name}|${way.argument}|${[...way.clean].sort()}`;
      if (seen.has(key) || path === way.from) continue;
      seen.add(key);
      for (const flow of exported.flows) {
        const rule = catalogue.rules.get(flow.candidate.ruleId);
        if (
          flow.parameter !== way.argument ||
          !rule ||
          way.clean.includes(rule.family) ||
          !catalogue.counts(rule, call.sourceKind)
        )
          continue;
        const confidence = Math.round(flow.candidate.confidence * crossingFactor ** way.crossings * 100) / 100;
        const trace = fold([...way.trace, ...onward(path, flow.candidate.trace)]);
        found.push({ path, candidate: { ...flow.candidate, source: call.source, confidence }, trace });
      }
      for (const pass of exported.passes) {
        if (pass.parameter !== way.argument || way.crossings >= crossingsMax) continue;
        const clean = [...new Set([...way.clean, ...pass.clean])];
        open.push({
          ...pass,
          from: path,
          clean,
          trace: [...way.trace, ...onward(path, pass.trace)],
          crossings: way.crossings + 1,
        });
      }
    }
  }
  return found;
}

/** In the middle of a way a parameter is a step, not a source. */
const onward = (path: string, steps: Parameters<typeof placeTrace>[1]): TraceStep[] =>
  placeTrace(path, steps).map((step) => (step.role === "source" ? { ...step, role: "step" } : step));

const fold = (trace: readonly TraceStep[]): TraceStep[] =>
  trace.length <= stepsMax ? [...trace] : [...trace.slice(0, stepsMax / 2), ...trace.slice(-stepsMax / 2)];
