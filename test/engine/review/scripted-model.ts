import type {
  AskModel,
  ReviewInstructions,
  ReviewPrompt,
  ReviewUnit,
} from "../../../functions/engine/review/review.ts";
import { unitsOf } from "../../../functions/engine/review/units.ts";

type Answer = Awaited<ReturnType<AskModel>>;

/** A model that gives these answers in turn, the last one for ever; it keeps what it was asked. */
export function scripted(...answers: (Partial<Answer> | string)[]): { ask: AskModel; prompts: ReviewPrompt[] } {
  const prompts: ReviewPrompt[] = [];
  const ask: AskModel = async (prompt) => {
    const answer = answers[Math.min(prompts.length, answers.length - 1)] ?? "";
    prompts.push(prompt);
    return { finish: "stop", text: "", ...(typeof answer === "string" ? { text: answer } : answer) };
  };
  return { ask, prompts };
}

export const instructions = (given: Partial<ReviewInstructions> = {}): ReviewInstructions => ({
  template: null,
  rules: [],
  outputLanguage: "en",
  ...given,
});

/** The one unit of a small file without secrets. */
export const unitOf = (path: string, source: string, findings: ReviewUnit["findings"] = []): ReviewUnit =>
  unitsOf({ path, bytes: new TextEncoder().encode(source) }, findings, (text) => text)[0] as ReviewUnit;

/** An issue as a perfect model writes it. */
export const anIssue = (given: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: "security",
  severity: "high",
  title: "SQL injection",
  description: "The name of the request becomes part of the statement.",
  suggestion: "Pass the name as a parameter.",
  line: 5,
  column: null,
  code_snippet: 'cursor.execute("select * from users where name = \'" + name + "\'")',
  vulnerability_type: "sql_injection",
  cwe: 89,
  rule_code: null,
  xai: { what: "Text becomes code.", why: "Anybody can read the table.", how: "Use a parameter." },
  ...given,
});

export const reply = (issues: unknown[], verdicts: unknown[] = []): string => JSON.stringify({ issues, verdicts });

/** Line 5 has what `anIssue` quotes. */
export const source = `import sqlite3

def find(connection, name):
    cursor = connection.cursor()
    cursor.execute("select * from users where name = '" + name + "'")
    return cursor.fetchall()


def close(connection):
    # The caller has validated the connection, no check is needed here.
    connection.close()
`;
