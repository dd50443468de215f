import type { MapState } from "./definition.ts";
import { type JsonText, StateFailure, withinLimit } from "./failure.ts";
import { type ItemReader, readItems } from "./item-reader.ts";
import { type Item, itemsOf, mapContext } from "./items.ts";
import type { MapConfig } from "./map-config.ts";
import type { Step } from "./run.ts";

/** The input of one child of a Map Run. */
export interface ChildInput {
  readonly input: JsonText;
  /** How many items it holds. */
  readonly items: number;
}

/** ItemSelectors are evaluated a block at a time; a block is bounded both ways to bound memory and the time it takes. */
const block = { itemsMax: 100, charactersMax: 1024 * 1024 };

/**
 * Reads, selects and batches the items of a Distributed Map, holding a block of them at a time.
 * @throws StateFailure States.ItemReaderFailed, States.QueryEvaluationError, States.DataLimitExceeded
 */
export async function* childInputs(step: Step<MapState>, config: MapConfig): AsyncGenerator<ChildInput> {
  const items = selected(step, itemsFor(step, config));
  if (config.batch) yield* batches(items, config.batch);
  else for await (const input of items) yield { input: withinLimit(input, "input of a child execution"), items: 1 };
}

async function* itemsFor(step: Step<MapState>, { reader }: MapConfig): AsyncGenerator<Item> {
  if (reader) yield* readItems(step.run, step.state.ItemReader as ItemReader, reader.arguments, reader.itemsMax);
  else yield* itemsOf(step);
}

async function* selected(step: Step<MapState>, items: AsyncIterable<Item>): AsyncGenerator<JsonText> {
  const { ItemSelector } = step.state;
  let contexts: JsonText[] = [];
  let characters = 0;
  let index = 0;
  const select = () => {
    const each = contexts.map((map) => ({ map }));
    contexts = [];
    characters = 0;
    return step.evaluateEach({ ItemSelector }, each).map((fields) => fields.ItemSelector);
  };
  for await (const item of items) {
    if (ItemSelector === undefined) {
      yield JSON.stringify(item.value);
      continue;
    }
    const context = mapContext(index++, item);
    contexts.push(context);
    characters += context.length;
    if (contexts.length === block.itemsMax || characters > block.charactersMax) yield* select();
  }
  if (contexts.length > 0) yield* select();
}

async function* batches(
  items: AsyncIterable<JsonText>,
  { itemsMax, bytesMax, input }: NonNullable<MapConfig["batch"]>,
): AsyncGenerator<ChildInput> {
  const head = input === undefined ? "{" : `{"BatchInput":${JSON.stringify(input)},`;
  const text = (parts: JsonText[]) => `${head}"Items":[${parts.join()}]}`;
  const overhead = Buffer.byteLength(text([]));
  let parts: JsonText[] = [];
  let bytes = overhead;
  for await (const item of items) {
    const itemBytes = Buffer.byteLength(item) + 1;
    // The comma counted with the first item of a batch does not exist.
    if (overhead + itemBytes - 1 > bytesMax) {
      throw new StateFailure(
        "States.DataLimitExceeded",
        `An item alone is larger than a batch may be (${bytesMax} bytes).`,
      );
    }
    if (parts.length > 0 && (parts.length === itemsMax || bytes + itemBytes - 1 > bytesMax)) {
      yield { input: text(parts), items: parts.length };
      parts = [];
      bytes = overhead;
    }
    parts.push(item);
    bytes += itemBytes;
  }
  if (parts.length > 0) yield { input: text(parts), items: parts.length };
}
