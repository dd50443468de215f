import type { Json } from "../service.ts";
import type { MapState } from "./definition.ts";
import type { JsonText } from "./failure.ts";
import type { Step } from "./run.ts";
import { notOfType } from "./values.ts";

export interface Item {
  readonly value: Json;
  /** Name of the member when the items are the members of an object. */
  readonly key?: string;
  /** "STATE_DATA", or the S3 URI that the item was read from. */
  readonly source: string;
}

/**
 * The items that a Map takes from its Items field, or else from its input: the elements of an array or the members of
 * an object.
 * @throws StateFailure States.QueryEvaluationError
 */
export function* itemsOf(step: Step<MapState>): Generator<Item> {
  const json = step.evaluate({ Items: step.state.Items }).Items ?? step.frame.input;
  const items = JSON.parse(json);
  const source = "STATE_DATA";
  if (Array.isArray(items)) for (const value of items) yield { value, source };
  else if (items !== null && typeof items === "object")
    for (const [key, member] of Object.entries(items)) yield { value: { Key: key, Value: member }, key, source };
  else throw notOfType("Items", "an array or an object", json);
}

/** `$states.context.Map` for the item with this index. */
export const mapContext = (index: number, { value, key, source }: Item): JsonText =>
  JSON.stringify({ Item: { Index: index, ...(key !== undefined && { Key: key }), Value: value, Source: source } });
