import type { Candidate, LinkRecord, LocalStep, OwnRule, Way } from "../artefact.ts";
import type { Text } from "../finding.ts";

/** Masks the secrets of a file in all code that its findings show, whichever rule made them. */
export class ShownCode {
  readonly #mask: (shown: string) => string;

  /** @param mask masks the secrets that were found in this file */
  constructor(mask: (shown: string) => string) {
    this.#mask = mask;
  }

  candidate(candidate: Candidate): Candidate {
    const shown = { ...candidate, snippet: this.#mask(candidate.snippet), trace: this.#trace(candidate.trace) };
    // A user's own words may repeat what a metavariable stands for.
    return candidate.own ? { ...shown, own: this.#own(candidate.own) } : shown;
  }

  /** What goes over to other files is shown there. */
  links({ exports, calls, pending, stores, web, ...names }: LinkRecord): LinkRecord {
    const shown = <W extends Way>(way: W): W => ({ ...way, trace: this.#trace(way.trace) });
    return {
      ...names,
      ...(web && {
        web: { ...web, routes: web.routes.map((route) => ({ ...route, snippet: this.#mask(route.snippet) })) },
      }),
      exports: exports.map((exported) => ({
        ...exported,
        flows: exported.flows.map((flow) => ({ ...flow, candidate: this.candidate(flow.candidate) })),
        passes: exported.passes.map(shown),
        returns: exported.returns.map(shown),
      })),
      calls: calls.map(shown),
      pending: pending.map(({ outside, candidate }) => ({ outside, candidate: this.candidate(candidate) })),
      stores: stores.map(shown),
    };
  }

  #own(own: OwnRule): OwnRule {
    const masked = ({ zh, en }: Text): Text => ({ zh: this.#mask(zh), en: this.#mask(en) });
    return { ...own, title: masked(own.title), message: masked(own.message), fix: masked(own.fix) };
  }

  #trace(steps: readonly LocalStep[]): LocalStep[] {
    return steps.map((step) => ({ ...step, code: this.#mask(step.code) }));
  }
}
