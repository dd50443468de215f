import { type ErrorFields, problems } from "./problems.ts";

/** The stable snake_case codes of everything that can go wrong on purpose; each has a row in problems/. */
export type ErrorCode = keyof typeof problems;

/** True for the codes of our own refusals, among others that a record may hold. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(problems, code);

/** All codes of one topic, for contracts that pass a whole family of refusals on: `codesOf("zip")`. */
export const codesOf = (topic: string): ErrorCode[] =>
  (Object.keys(problems) as ErrorCode[]).filter((code) => code.startsWith(`${topic}_`));

/**
 * A refusal that the caller can understand and act on. Records and stores throw it; only the operation layer turns it into a status.
 * The message is the English text; the Chinese one is filled from the same fields when the answer is written.
 */
export class SluiceError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, fields: ErrorFields = {}, cause?: unknown) {
    super(fill(problems[code].en, fields), cause === undefined ? undefined : { cause });
    this.name = "SluiceError";
    this.code = code;
    this.fields = fields;
  }

  get status(): number {
    return problems[this.code].status;
  }

  text(language: "zh" | "en"): string {
    return fill(problems[this.code][language], this.fields);
  }
}

export const isSluiceError = (error: unknown, ...codes: ErrorCode[]): error is SluiceError =>
  error instanceof SluiceError && (codes.length === 0 || codes.includes(error.code));

/** Values come from users: they are cut and stripped of control characters, so an entry name cannot forge a line of a log or terminal. */
function fill(text: string, fields: ErrorFields): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = fields[name];
    if (value === undefined) return whole;
    const clean = String(value).replace(
      /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      "\ufffd",
    );
    return clean.length > 200 ? `${clean.slice(0, 199)}…` : clean;
  });
}
