import { type Finding, severities } from "../finding.ts";
import { lineAnchor } from "../findings/anchor.ts";
import { fingerprintOf, movedFingerprintOf } from "../findings/fingerprint.ts";
import { byCodeUnits } from "../link/order.ts";
import { commentStyle, reviewLanguage } from "./review-language.ts";

/**
 * Gives findings of a model their fingerprints, by the recipe that rules use: the anchor is the statement, which the snippet holds.
 * @param findings of one scan or unit; siblings are numbered in source order, whatever order they come in
 * @param taken fingerprints of the rules' findings, which keep theirs
 */
export function identify(findings: readonly Finding[], taken: ReadonlySet<string>): Finding[] {
  const used = new Set(taken);
  return [...findings].sort(sourceOrder).map((finding) => {
    const { family, path, symbol: scope } = finding;
    const hashComments = commentStyle(reviewLanguage(path) ?? "text") === "hash";
    const identity = { family, path, scope, anchor: lineAnchor(finding.snippet, hashComments), sibling: 0 };
    while (used.has(fingerprintOf(identity))) identity.sibling++;
    const fingerprint = fingerprintOf(identity);
    used.add(fingerprint);
    return { ...finding, fingerprint, movedFingerprint: movedFingerprintOf(identity) };
  });
}

/** By place, then by what makes findings on one place differ: the same order whoever found them first. */
export const sourceOrder = (a: Finding, b: Finding): number =>
  byCodeUnits(a.path, b.path) ||
  a.startLine - b.startLine ||
  a.startColumn - b.startColumn ||
  a.endLine - b.endLine ||
  a.endColumn - b.endColumn ||
  byCodeUnits(a.family, b.family) ||
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  byCodeUnits(JSON.stringify(a), JSON.stringify(b));
