import * as z from "zod";
import { Issue } from "./issue.ts";

/** What tells issues of different scans apart and together, without their texts: a fraction of an issue. */
export const IssueIdentity = Issue.pick({
  id: true,
  taskId: true,
  fingerprint: true,
  movedFingerprint: true,
  ruleId: true,
  owasp2021: true,
  severity: true,
  path: true,
  startLine: true,
  origins: true,
  status: true,
}).extend({
  /** Other files that the value goes through on its way. */
  otherPaths: z.array(z.string()),
});
export type IssueIdentity = z.infer<typeof IssueIdentity>;

/** An attribute list for queries; `trace` gives the other paths and is not kept. */
export const identityAttributes = [...Object.keys(IssueIdentity.omit({ otherPaths: true }).shape), "trace"];

/** The identity in an issue as stored. */
export function identityOf(stored: Record<string, unknown>): IssueIdentity {
  const trace = stored.trace as Issue["trace"];
  const otherPaths = new Set(trace.map((step) => step.path));
  otherPaths.delete(stored.path as string);
  return IssueIdentity.parse({ ...stored, otherPaths: [...otherPaths] });
}
