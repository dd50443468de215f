import type { Expression } from "../../ir/ir.ts";
import { contextFits } from "../check.ts";
import { afterHost } from "../guards/address-parts.ts";
import { concatenate } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import type { Hit } from "../summary.ts";
import type { Value } from "../value.ts";
import { beforeExtension } from "./fixed-extension.ts";
import { placedInPage } from "./page-places.ts";
import { outsideQuotes } from "./quotes.ts";
import { withinSegments } from "./segments.ts";

/** Of one rule; more would be a file that does nothing else. A page has so many for markup that its queries must not wait behind them. */
const textsMax = 100;

/** The text that parts make one after the other, each as harmless as its place in it lets it be. */
export function madeText(run: Run, frame: Frame, values: readonly Value[], parts: readonly Expression[]): Value {
  const placed = placedInPage(run, frame, withinSegments(run, values), parts);
  return noteText(run, frame, concatenate(outsideQuotes(run, beforeExtension(run, afterHost(run, placed)))));
}

/**
 * Notes where text is put together with input. Where one function of another file shows or runs the texts of all pages, the mistake is not
 * there but here, and each page has its own.
 */
function noteText(run: Run, frame: Frame, value: Value): Value {
  if (value.constants || !value.taint.some(({ source }) => isInput(source))) return value;
  const { statement, symbol, fn } = frame;
  for (const match of run.knowledge.calls.find("<text>").checks)
    for (const taint of value.taint) {
      if (!isInput(taint.source) || !match.taint || (taint.clean & match.taint.family) !== 0) continue;
      if (!contextFits(run, frame, match)) continue;
      const texts = run.texts.get(match.rule.id) ?? new Map<string, Hit>();
      const key = `${statement.start}|${taint.source.start}`;
      if (texts.size < textsMax && !texts.has(key))
        texts.set(key, { match, at: statement, statement, symbol, fn, sink: statement, flow: taint });
      run.texts.set(match.rule.id, texts);
    }
  return value;
}

/** What comes in by a parameter is the caller's to tell. */
const isInput = ({ parameter }: Value["taint"][number]["source"]): boolean => parameter === null;
