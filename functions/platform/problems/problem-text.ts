/** An error code's status and its text in both languages, with `{slots}` for the error's fields. */
export interface ProblemText {
  readonly status: number;
  readonly zh: string;
  readonly en: string;
}
