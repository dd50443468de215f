import type { Severity } from "../issues/issue.ts";

/** White text is readable on each of them (contrast of at least 4.5, WCAG 2.2), and in grey they still differ from the worst down. */
export const severityColors: Readonly<Record<Severity, string>> = {
  critical: "#7f1d1d",
  high: "#c81e1e",
  medium: "#b45309",
  low: "#2563eb",
};

/** 80 and more is good, below 60 is bad: the bands of all our reports. */
export const scoreColor = (score: number): string => (score >= 80 ? "#15803d" : score >= 60 ? "#b45309" : "#c81e1e");
