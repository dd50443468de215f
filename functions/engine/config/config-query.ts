import * as z from "zod";
import { severities } from "../finding.ts";
import { documentKinds } from "./config-document.ts";

/** Holds when one of the entries at `at` (see KeyPath; without it the one that was found) has all of the properties given. */
export const ConfigCondition = z.strictObject({
  at: z.string().optional(),
  /** Only entries whose key matches are looked at. */
  key: z.string().optional(),
  /** The value is one of these, whatever its case. */
  is: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  matches: z.string().optional(),
  /** The value is a number that is less. */
  below: z.number().optional(),
  /** The value is not one of those that stand for a secret. */
  secret: z.literal(true).optional(),
  /** Has neither value nor entries, or, with false, has some. */
  empty: z.boolean().optional(),
  /** There is no such entry. */
  absent: z.literal(true).optional(),
});
export type ConfigCondition = z.infer<typeof ConfigCondition>;

const kind = z.enum(documentKinds);

/** A question to documents of some kinds. Every entry at `find` for which all of `when` and none of `unless` holds is a finding. */
export const ConfigQuery = z.strictObject({
  document: z.union([kind, z.array(kind).min(1)]).transform((given) => (Array.isArray(given) ? given : [given])),
  find: z.string(),
  when: z.array(ConfigCondition).default([]),
  unless: z.array(ConfigCondition).default([]),
  /** Each match in the text of the entry is a finding, where it stands. */
  each: z.string().optional(),
  /** Matches of `each` in which this finds something are none. */
  skip: z.string().optional(),
  /** The entry to show instead, on the way from the one found. */
  report: z.string().optional(),
  /** One finding a document is enough. */
  once: z.boolean().default(false),
  severity: z.enum(severities).optional(),
  confidence: z.number().gt(0).max(1).optional(),
});
export type ConfigQuery = z.infer<typeof ConfigQuery>;
