import { hash } from "node:crypto";
import * as z from "zod";
import { splitRuleFile } from "../engine/match/rule-file.ts";
import type { AuditRuleDraft } from "./rule-draft.ts";
import { refusalText } from "./rule-pattern.ts";

/** A file of rules in Semgrep's YAML. */
export const RuleFileText = z.object({ name: z.string().min(1).max(500), text: z.string().max(1_000_000) });
export type RuleFileText = z.output<typeof RuleFileText>;

/** A rule of a file; one that cannot be used as it is written comes with the reason. */
export type RuleFileDraft = AuditRuleDraft & { refusal: string | null };

/** The rules of such files, each with its own text. */
export const ruleFileDrafts = (files: readonly RuleFileText[]): RuleFileDraft[] =>
  files.flatMap(({ name, text }) =>
    splitRuleFile(text).map((split, i): RuleFileDraft => {
      const { rule, refusal } = split;
      const id = rule?.id ?? refusal?.id ?? `${name.slice(-40)}-${i + 1}`;
      const link = rule?.references.find(
        (reference) => reference.length <= 500 && /^https?:$/.test(URL.parse(reference)?.protocol ?? ""),
      );
      return {
        rule_code: codeOf(id),
        name: id.slice(0, 200),
        category: rule?.issueType ?? "security",
        severity: !rule || rule.severity === "info" ? "low" : rule.severity,
        description: rule?.message.slice(0, 2000) ?? null,
        custom_prompt: null,
        fix_suggestion: rule?.fix?.slice(0, 4000) ?? null,
        reference_url: link ?? null,
        pattern: split.text,
        enabled: true,
        sort_order: 0,
        refusal: refusal && refusalText(refusal, name),
      };
    }),
  );

/** A code has 50 characters; ids of such rules are often paths. */
const codeOf = (id: string): string =>
  id.length <= 50 ? id : `${id.slice(-41).replace(/^[^a-zA-Z0-9]+/, "")}-${hash("sha256", id).slice(0, 8)}`;
