import { type JsonText, StateFailure } from "./failure.ts";

/** Epoch milliseconds. @throws StateFailure States.QueryEvaluationError */
export function timestamp(field: string, json: JsonText): number {
  const value = JSON.parse(json);
  const at = typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw notOfType(field, "an ISO 8601 timestamp", json);
  return at;
}

/** @throws StateFailure States.QueryEvaluationError unless the value is a whole number of seconds that is allowed */
export function seconds(field: string, json: JsonText, min = 0): number {
  const value = JSON.parse(json);
  if (Number.isInteger(value) && value >= min && value <= 99_999_999) return value;
  throw notOfType(field, `an integer from ${min} to 99999999`, json);
}

export const notOfType = (field: string, wanted: string, json: JsonText): StateFailure =>
  new StateFailure(
    "States.QueryEvaluationError",
    `The field '${field}' must evaluate to ${wanted}, not ${json.slice(0, 100)}.`,
  );

/** @throws StateFailure States.QueryEvaluationError unless the value is a whole number from 0 */
export function count(field: string, json: JsonText): number {
  const value = JSON.parse(json);
  if (Number.isInteger(value) && value >= 0) return value;
  throw notOfType(field, "an integer from 0", json);
}
