import type { FunctionNode, Span, Statement } from "../../ir/ir.ts";
import { emptySummary } from "../calls/summaries.ts";

/** The name under which a file that others include is known to the linker. */
export const pageName = "<page>";
/** More would be a file that a program has written. */
const namesMax = 80;

/**
 * A file of PHP shares its variables with the files that include it and with those that it includes. To the linker it is a function: its
 * parameters are the variables that it reads without having set them, and what it returns are the variables that it leaves behind.
 */
export class Page {
  readonly fn: FunctionNode = {
    start: 0,
    end: 0,
    name: "",
    params: [],
    decorators: [],
    body: [],
    receiver: null,
    exported: true,
  };
  readonly summary = emptySummary(null);
  /** The statements of the file. */
  body: readonly Statement[] = [];
  /** The files included so far, as targets. */
  readonly included: string[] = [];

  /** The position of a variable among the parameters; -1 where there are too many. */
  indexOf(name: string, at: Span): number {
    const known = this.fn.params.findIndex((param) => param.name === name);
    if (known >= 0 || this.fn.params.length >= namesMax) return known;
    const { start, end } = at;
    return (
      this.fn.params.push({
        start,
        end,
        name,
        pattern: null,
        type: null,
        decorators: [],
        default: null,
        rest: false,
      }) - 1
    );
  }
}
