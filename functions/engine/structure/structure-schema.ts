import * as z from "zod";
import { severities } from "../finding.ts";

/** What rules can ask about the shape of code; what each of them measures stands in measures.ts. */
export const measures = [
  "lines",
  "parameters",
  "nesting",
  "branches",
  "repeated-lines",
  "unused-variable",
  "empty-catch",
  "grown-text",
  "regex-in-loop",
  "kept-listener",
  "type-name",
  "function-name",
  "repeated-number",
  "searched-list",
  "uncommented-branches",
] as const;
export type Measure = (typeof measures)[number];

/** One question about the shape of code; no values are followed. */
export const StructureQuery = z.strictObject({
  measure: z.enum(measures),
  /** The languages of the rule that it is about; all without it. */
  languages: z.array(z.string()).min(1).optional(),
  /** What is measured is too much above this. */
  above: z.number().int().min(0).default(0),
  /** And no more than this. */
  upTo: z.number().int().min(0).optional(),
  /** @default that of the rule */
  severity: z.enum(severities).optional(),
  /** The text of what was found must match: a name, a number, a comment; of a variable that of the function around it. */
  only: z.string().optional(),
  /** And must not match this. */
  skip: z.string().optional(),
});
export type StructureQuery = z.infer<typeof StructureQuery>;

/** Where a call must stand for a pattern to count: see structure/places.ts. */
export const places = ["loop", "each", "suspending", "entry"] as const;
export type Place = (typeof places)[number];
