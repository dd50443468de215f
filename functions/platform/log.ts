/** The fields a log line may carry. Never headers, bodies, prompts, code, tokens or mail addresses. */
export interface LogFields {
  requestId?: string;
  operation?: string;
  task?: string;
  project?: string;
  user?: string;
  run?: string;
  status?: number;
  code?: string;
  milliseconds?: number;
  count?: number;
  chunk?: number;
  /** By how much counters were wrong, by their names. */
  drift?: Readonly<Record<string, number>>;
  /** Ids by the names they have in a request. */
  targets?: Readonly<Record<string, string>>;
  error?: string;
  stack?: string;
}

/** Writes one JSON line. JSON encoding keeps values from archives on their line and away from the terminal. */
export function log(level: "info" | "warn" | "error", message: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ level, message, time: new Date().toISOString(), ...fields }));
}

/** Name and stack of an error, without fields that a library may have filled with a request. */
export const errorFields = (error: unknown): Pick<LogFields, "error" | "stack"> =>
  error instanceof Error
    ? { error: `${error.name}: ${error.message}`.slice(0, 500), stack: error.stack?.slice(0, 2000) }
    : { error: "not an Error" };
