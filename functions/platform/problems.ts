import { archiveProblems } from "./problems/archive-problems.ts";
import { dataProblems } from "./problems/data-problems.ts";
import { hostProblems } from "./problems/host-problems.ts";
import { recordProblems } from "./problems/record-problems.ts";
import { requestProblems } from "./problems/request-problems.ts";

/** Values for the `{slots}` of a text. */
export type ErrorFields = Readonly<Record<string, string | number>>;

/** The only place that knows HTTP statuses: every error code with its status and its text in both languages. */
export const problems = {
  ...requestProblems,
  ...recordProblems,
  ...archiveProblems,
  ...dataProblems,
  ...hostProblems,
} as const;
