import type { Json } from "../service.ts";
import type { MapState } from "./definition.ts";
import { type JsonText, payloadBytesMax } from "./failure.ts";
import type { Step } from "./run.ts";
import { count, notOfType } from "./values.ts";

/** What a Map Run goes by from its start to its end; evaluated once and kept with it. */
export interface MapConfig {
  /** Hash of the definition that the children run. */
  readonly definition: string;
  readonly executionType: "STANDARD" | "EXPRESS";
  /** 0 when unset. */
  readonly maxConcurrency: number;
  readonly toleratedFailureCount: number | null;
  readonly toleratedFailurePercentage: number | null;
  readonly reader: { readonly arguments: Json; readonly itemsMax: number } | null;
  readonly batch: { readonly itemsMax: number; readonly bytesMax: number; readonly input?: Json } | null;
  readonly writer: { readonly Bucket: string; readonly Prefix: string } | null;
}

/** @throws StateFailure States.QueryEvaluationError */
export function configOf(step: Step<MapState>): MapConfig {
  const { state } = step;
  const fields = step.evaluate({
    MaxConcurrency: state.MaxConcurrency,
    ToleratedFailureCount: state.ToleratedFailureCount,
    ToleratedFailurePercentage: state.ToleratedFailurePercentage,
    "ItemReader/Arguments": state.ItemReader?.Arguments,
    "ItemReader/ReaderConfig/MaxItems": state.ItemReader?.ReaderConfig?.MaxItems,
    "ItemBatcher/MaxItemsPerBatch": state.ItemBatcher?.MaxItemsPerBatch,
    "ItemBatcher/MaxInputBytesPerBatch": state.ItemBatcher?.MaxInputBytesPerBatch,
    "ItemBatcher/BatchInput": state.ItemBatcher?.BatchInput,
    "ResultWriter/Arguments": state.ResultWriter?.Arguments,
  });
  const whole = (field: keyof typeof fields, otherwise: number): number =>
    fields[field] === undefined ? otherwise : count(field, fields[field]);
  const batchInput = fields["ItemBatcher/BatchInput"];
  return {
    definition: step.engine.store.putDefinition(state.ItemProcessor),
    executionType: state.ItemProcessor.ProcessorConfig?.ExecutionType ?? "STANDARD",
    maxConcurrency: whole("MaxConcurrency", 0),
    toleratedFailureCount: fields.ToleratedFailureCount === undefined ? null : whole("ToleratedFailureCount", 0),
    toleratedFailurePercentage: percentage(fields.ToleratedFailurePercentage),
    reader: state.ItemReader
      ? {
          arguments: location("ItemReader/Arguments", fields["ItemReader/Arguments"]),
          itemsMax: whole("ItemReader/ReaderConfig/MaxItems", 0) || Number.MAX_SAFE_INTEGER,
        }
      : null,
    batch: state.ItemBatcher
      ? {
          itemsMax: whole("ItemBatcher/MaxItemsPerBatch", 0) || Number.MAX_SAFE_INTEGER,
          bytesMax: Math.min(whole("ItemBatcher/MaxInputBytesPerBatch", 0) || payloadBytesMax, payloadBytesMax),
          ...(batchInput !== undefined && { input: JSON.parse(batchInput) }),
        }
      : null,
    writer: state.ResultWriter?.Arguments
      ? { Prefix: "", ...location("ResultWriter/Arguments", fields["ResultWriter/Arguments"]) }
      : null,
  };
}

function percentage(json: JsonText | undefined): number | null {
  if (json === undefined) return null;
  const value = JSON.parse(json);
  if (typeof value === "number" && value >= 0 && value <= 100) return value;
  throw notOfType("ToleratedFailurePercentage", "a number from 0 to 100", json);
}

function location(field: string, json: JsonText): Json {
  const value = JSON.parse(json);
  if (typeof value?.Bucket === "string") return value;
  throw notOfType(field, "an object with a Bucket", json);
}
