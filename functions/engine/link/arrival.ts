import type { TraceStep } from "../finding.ts";
import type { Made } from "./made-objects.ts";

/** Attacker input where it comes into sight, with the way it took to there. */
export interface Arrival {
  sourceKind: string;
  source: string;
  confidence: number;
  clean: readonly string[];
  /** The class of an object whose constraints were looked at; see interpret/validators/constraints.ts. */
  validated?: string;
  /** The object that it is a part of, where a function has given that as a whole. */
  made?: Made | null;
  trace: readonly TraceStep[];
  crossings: number;
  /** The field that it lies in of what a function of Python has given as a whole, or one of Go that goes on as it is. */
  within?: string | undefined;
  /** The field that it lies in of an object that a class has made, where that is meant as a whole: no input, but what has it. */
  ofMade?: string | undefined;
  /** It lies in an object that a function has given. */
  inRecord?: boolean | undefined;
  /** It has been kept by files of one package for each other. */
  isKept?: true;
}
