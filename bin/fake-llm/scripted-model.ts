import * as z from "zod";
import type { Call, OpenCall } from "./call-log.ts";
import { composeReply, rejectionOf } from "./compose-reply.ts";
import { BadRequest, type Dialect, type HttpAnswer, type HttpAsked } from "./dialect.ts";
import {
  type FaultKind,
  faultOfModel,
  HadFaults,
  isFaultKind,
  type SeededFaults,
  seededFault,
  transientFaults,
} from "./faults.ts";
import { OtherFiles } from "./faulty-answer.ts";
import { readShownCode, type ShownCode } from "./shown-code.ts";

export interface ScriptedModelOptions {
  /** By seed and content, or decided by a test for each call. @default none */
  readonly faults?: SeededFaults | ((call: Call) => FaultKind | null);
  /** Whether requests need no key, as with Ollama. @default false */
  readonly keyless?: boolean;
  /** Called when a request has been understood and before it is answered. */
  readonly onRequest?: (call: Call) => void;
}

const mark = /scripted-fault: ?([a-z0-9_]+)/;

/**
 * Answers requests from what is in them. A fault is chosen, in this order, by `fault`, by the name of the model (`scripted-<fault>`), by a
 * mark `scripted-fault: <fault>` in the code that is shown, by the function or the seed in the options.
 */
export class ScriptedModel {
  /** Every request has this fault, whatever else was chosen; null for none. */
  fault: FaultKind | null = null;
  readonly #options: ScriptedModelOptions;
  readonly #otherFiles = new OtherFiles();
  readonly #had = new HadFaults();

  constructor(options: ScriptedModelOptions = {}) {
    this.#options = options;
  }

  /** The provider's answer to a request. What was understood of it is noted in `call`. */
  answer(dialect: Dialect, http: HttpAsked, call: OpenCall): HttpAnswer {
    const detail = { model: "", key: dialect.key(http), message: "" };
    if (dialect.needsKey && !this.#options.keyless && detail.key === null) return dialect.reject("missing_key", detail);
    try {
      const asked = dialect.read(http);
      const shown = readShownCode(asked);
      call.model = asked.model;
      call.path = shown.path;
      const fault = this.#choose(call, shown);
      call.fault = fault;
      this.#options.onRequest?.(call);
      const rejection = rejectionOf(fault);
      if (rejection) return dialect.reject(rejection, { ...detail, model: asked.model });
      const reply = composeReply(asked, shown, fault, this.#otherFiles);
      this.#otherFiles.remember(shown);
      return { status: 200, body: dialect.write(asked, reply) };
    } catch (error) {
      if (!(error instanceof z.ZodError || error instanceof BadRequest)) throw error;
      const message = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
      return dialect.reject("bad_request", { ...detail, message });
    }
  }

  forget(): void {
    this.fault = null;
    this.#otherFiles.forget();
    this.#had.forget();
  }

  #choose(call: Call, shown: ShownCode): FaultKind | null {
    const always = this.fault ?? faultOfModel(call.model) ?? markedFault(shown);
    if (always !== null) return always === "status_500_then_good" ? this.#onlyFirst(always, shown) : always;
    const { faults } = this.#options;
    if (faults === undefined) return null;
    if (typeof faults === "function") return faults(call);
    const seeded = seededFault(faults, shown.content);
    return seeded !== null && transientFaults.has(seeded) ? this.#onlyFirst(seeded, shown) : seeded;
  }

  #onlyFirst(fault: FaultKind, { content }: ShownCode): FaultKind | null {
    return this.#had.isFirst(content) ? fault : null;
  }
}

function markedFault({ content }: ShownCode): FaultKind | null {
  // Most code has no mark, and a plain search finds that out much faster than the pattern.
  const named = content.includes("scripted-fault") ? mark.exec(content)?.[1] : undefined;
  return isFaultKind(named) ? named : null;
}
