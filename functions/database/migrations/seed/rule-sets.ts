import { owaspTopTen } from "./rules-owasp.ts";
import { performanceRules } from "./rules-performance.ts";
import { qualityRules } from "./rules-quality.ts";

export interface SeededRule {
  readonly ruleCode: string;
  readonly name: string;
  readonly description: string;
  readonly category: "security" | "bug" | "performance" | "style" | "maintainability";
  readonly severity: "critical" | "high" | "medium" | "low";
  /** What a language model is told to look for. */
  readonly customPrompt: string;
  readonly fixSuggestion: string;
  readonly referenceUrl: string | null;
  readonly english: {
    readonly name: string;
    readonly description: string;
    readonly customPrompt: string;
    readonly fixSuggestion: string;
  };
}

export interface SeededRuleSet {
  /** Makes the record's id; never changes. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly ruleType: "security" | "quality" | "performance";
  readonly isDefault: boolean;
  readonly english: { readonly name: string; readonly description: string };
  readonly rules: readonly SeededRule[];
}

/** In the order in which lists show them. */
export const ruleSets: readonly SeededRuleSet[] = [
  {
    slug: "owasp-top-10",
    name: "OWASP Top 10",
    description: "OWASP 2021 年十大 Web 应用安全风险",
    ruleType: "security",
    isDefault: true,
    english: { name: "OWASP Top 10", description: "The ten greatest risks of web applications, OWASP 2021" },
    rules: owaspTopTen,
  },
  {
    slug: "quality",
    name: "代码质量规则",
    description: "让代码容易理解和修改的基本规则",
    ruleType: "quality",
    isDefault: false,
    english: { name: "Code quality rules", description: "Basic rules that keep code easy to read and to change" },
    rules: qualityRules,
  },
  {
    slug: "performance",
    name: "性能优化规则",
    description: "常见的性能问题",
    ruleType: "performance",
    isDefault: false,
    english: { name: "Performance rules", description: "The usual performance problems" },
    rules: performanceRules,
  },
];
