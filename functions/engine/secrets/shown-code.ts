import type { Candidate, LinkRecord, LocalStep } from "../artefact.ts";

/** Masks the secrets of a file in all code that its findings show, whichever rule made them. */
export class ShownCode {
  readonly #mask: (shown: string) => string;

  /** @param mask masks the secrets that were found in this file */
  constructor(mask: (shown: string) => string) {
    this.#mask = mask;
  }

  candidate(candidate: Candidate): Candidate {
    return { ...candidate, snippet: this.#mask(candidate.snippet), trace: this.#trace(candidate.trace) };
  }

  /** What goes over to other files is shown there. */
  links({ exports, calls, classes }: LinkRecord): LinkRecord {
    return {
      exports: exports.map(({ name, flows, passes }) => ({
        name,
        flows: flows.map((flow) => ({ ...flow, candidate: this.candidate(flow.candidate) })),
        passes: passes.map((pass) => ({ ...pass, trace: this.#trace(pass.trace) })),
      })),
      calls: calls.map((call) => ({ ...call, trace: this.#trace(call.trace) })),
      classes,
    };
  }

  #trace(steps: readonly LocalStep[]): LocalStep[] {
    return steps.map((step) => ({ ...step, code: this.#mask(step.code) }));
  }
}
