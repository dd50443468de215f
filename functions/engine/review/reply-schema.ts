import * as z from "zod";
import { issueTypes, severities, vulnerabilityTypes } from "../finding.ts";

/*
 * The one description of an answer: the JSON schema that providers get is made from it, and what comes back is parsed by it.
 * Every field is required, absence is null: providers with strict schemas accept nothing else. There is no field for a path, because
 * a unit has one; none for totals and scores, because they are computed; none for links, because a misled model would fill it.
 */
const ReplyXai = z.object({
  what: z.string().describe("What the problem is"),
  why: z.string().describe("Why it matters here"),
  how: z.string().describe("How to fix it"),
});

export const ReplyIssue = z.object({
  type: z.enum(issueTypes),
  severity: z.enum(severities),
  title: z.string().describe("One short line"),
  description: z.string(),
  suggestion: z.string().describe("How to fix it, with code where that helps"),
  line: z.int().describe("Number of the first quoted line"),
  column: z.int().nullable().describe("Column of the first quoted character, from 1"),
  code_snippet: z.string().describe("The code, copied verbatim without the line numbers; one to three lines"),
  vulnerability_type: z.enum(vulnerabilityTypes).describe('"other" when none fits'),
  cwe: z.int().nullable().describe("CWE number"),
  rule_code: z.string().nullable().describe("Code of the owner's rule that is broken"),
  xai: ReplyXai.nullable(),
});
export type ReplyIssue = z.infer<typeof ReplyIssue>;

export const ReplyVerdict = z.object({
  finding: z.string().describe('Like "F1"'),
  verdict: z.enum(["confirmed", "refuted", "unsure"]),
  quote: z.string().describe("The code that decides it, copied verbatim without the line number; one line"),
  reason: z.string(),
});
export type ReplyVerdict = z.infer<typeof ReplyVerdict>;

export const Reply = z.object({
  issues: z.array(ReplyIssue),
  verdicts: z.array(ReplyVerdict),
});

const { $schema: _dialect, ...schema } = z.toJSONSchema(Reply, {
  // Some strict dialects refuse bounds, and these only say that a number is one.
  override: ({ jsonSchema }) => {
    delete jsonSchema.minimum;
    delete jsonSchema.maximum;
  },
});

/** The JSON schema of an answer, as providers with structured output want it. */
export const replySchema: Readonly<Record<string, unknown>> = schema;
