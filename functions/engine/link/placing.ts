import type { Candidate, FileArtefact, Way } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { TraceStep } from "../finding.ts";
import { languageOf } from "../inventory/language.ts";
import type { Arrival } from "./arrival.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";

/** Each file a value crosses makes it a little less certain. */
const crossingFactor = 0.9;
/** PHP finds functions and classes of other files by their names alone, each of which may be another's. */
const namesFactor = 0.8;
const stepsMax = 20;

/** Makes findings of candidates that input of other files gets to. */
export class Placing {
  readonly #catalogue: Catalogue;
  /** Texts that files make of input, by their paths. */
  readonly #texts: ReadonlyMap<string, readonly Candidate[]>;

  constructor(catalogue: Catalogue, artefacts: readonly FileArtefact[]) {
    this.#catalogue = catalogue;
    this.#texts = new Map(artefacts.flatMap(({ coverage, link }) => (link.texts ? [[coverage.path, link.texts]] : [])));
  }

  /** Where one function shows or runs the texts of all files, each text is a finding of its own, in the file that made it of input. */
  place(path: string, candidate: Candidate, arrival: Arrival, trace: readonly TraceStep[]): PlacedCandidate {
    const factor = languageOf(path).name === "php" ? namesFactor : crossingFactor;
    const certainty = candidate.confidence * arrival.confidence * factor ** Math.max(1, arrival.crossings);
    const confidence = Math.round(certainty * 100) / 100;
    const { source, sourceKind } = arrival;
    const found = { ...candidate, source, sourceKind, confidence };
    const made = this.#textOn(
      trace.filter((step) => step.path !== path),
      candidate.ruleId,
    );
    if (!made) return { path, candidate: found, trace: fold(trace) };
    const { ruleId, severity, sink } = found;
    return {
      path: made.path,
      candidate: { ...made.text, ruleId, severity, sink, source, sourceKind, confidence },
      trace: fold(trace),
    };
  }

  /** The first text that is made on a way in a file before the last. */
  #textOn(trace: readonly TraceStep[], ruleId: string): { path: string; text: Candidate } | null {
    const family = this.#catalogue.rules.get(ruleId)?.family;
    for (const path of new Set(trace.map((step) => step.path))) {
      const here = trace.filter((step) => step.path === path);
      const texts = (this.#texts.get(path) ?? []).filter(
        ({ ruleId: id }) => this.#catalogue.rules.get(id)?.family === family,
      );
      const text = texts.find((one) => isMadeOf(one, here)) ?? texts.find((one) => isHanded(one, here.at(-1)));
      if (text) return { path, text };
    }
    return null;
  }
}

/** Of what came this way, with nothing else known of it. */
const isMadeOf = ({ trace: [input], startLine, endLine }: Candidate, way: readonly TraceStep[]): boolean =>
  way.some((step) => step.startLine === input?.startLine && step.startColumn === input.startColumn) &&
  way.some((step) => startLine <= step.startLine && step.startLine <= endLine);

/** The way leaves the file by a call of the statement that makes it; of the values in it another one was noted. */
const isHanded = ({ startLine, endLine }: Candidate, last: TraceStep | undefined): boolean =>
  last !== undefined && startLine <= last.startLine && last.endLine <= endLine;

/** In the middle of a way neither a parameter nor the result of a call is a source. */
export const onward = (path: string, steps: Way["trace"]): TraceStep[] =>
  placeTrace(path, steps).map((step) => (step.role === "source" ? { ...step, role: "step" } : step));

const fold = (trace: readonly TraceStep[]): TraceStep[] =>
  trace.length <= stepsMax ? [...trace] : [...trace.slice(0, stepsMax / 2), ...trace.slice(-stepsMax / 2)];
