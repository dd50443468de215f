import * as z from "zod";
import { AwsError } from "../service.ts";
import type { Expressions } from "./expressions.ts";
import type { StateFailure } from "./failure.ts";
import { expressionIn } from "./template.ts";

const Expression = z.string().refine((text) => expressionIn(text) !== undefined, "must be a {% JSONata %} expression");
/** 99,999,999 s, a little over three years, is what Step Functions takes everywhere. */
const secondsMax = 99_999_999;
const Seconds = z.union([z.int().min(0).max(secondsMax), Expression]);
const PositiveSeconds = z.union([z.int().min(1).max(secondsMax), Expression]);
const Count = z.union([z.int().min(0), Expression]);
const VariableName = z
  .string()
  .max(80)
  .regex(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u)
  .refine((name) => name !== "states", "'states' is reserved");
/** Any JSON, with expressions in it; evaluated when the state runs. */
const Template = z.unknown().optional();
const Assign = z.record(VariableName, z.unknown()).optional();

const Common = {
  Comment: z.string().optional(),
  QueryLanguage: z.literal("JSONata", "only JSONata states are supported").optional(),
};
const Flow = { ...Common, Next: z.string().optional(), End: z.literal(true).optional() };
const Results = { Output: Template, Assign };

const Retrier = z.strictObject({
  ErrorEquals: z.array(z.string()).min(1),
  Comment: z.string().optional(),
  IntervalSeconds: z.int().min(1).max(secondsMax).optional(),
  MaxAttempts: z.int().min(0).max(secondsMax).optional(),
  BackoffRate: z.number().min(1).optional(),
  MaxDelaySeconds: z.int().min(1).max(31_622_400).optional(),
  JitterStrategy: z.enum(["FULL", "NONE"]).optional(),
});
const Catcher = z.strictObject({
  ErrorEquals: z.array(z.string()).min(1),
  Comment: z.string().optional(),
  Next: z.string(),
  Output: Template,
  Assign,
});
const aloneAndLast = (entries: { ErrorEquals: string[] }[]) =>
  entries.every(
    ({ ErrorEquals }, index) =>
      !ErrorEquals.includes("States.ALL") || (ErrorEquals.length === 1 && index === entries.length - 1),
  );
const Recovery = {
  Retry: z.array(Retrier).refine(aloneAndLast, "States.ALL must stand alone and last").optional(),
  Catch: z.array(Catcher).refine(aloneAndLast, "States.ALL must stand alone and last").optional(),
};

const Pass = z.strictObject({ Type: z.literal("Pass"), ...Flow, ...Results });
const Succeed = z.strictObject({ Type: z.literal("Succeed"), ...Common, Output: Template });
const Fail = z.strictObject({
  Type: z.literal("Fail"),
  ...Common,
  Error: z.string().optional(),
  Cause: z.string().optional(),
});
const Wait = z.strictObject({
  Type: z.literal("Wait"),
  ...Flow,
  ...Results,
  Seconds: Seconds.optional(),
  Timestamp: z.union([z.iso.datetime({ offset: true }), Expression]).optional(),
});
const Choice = z.strictObject({
  Type: z.literal("Choice"),
  ...Common,
  ...Results,
  Choices: z
    .array(
      z.strictObject({
        Comment: z.string().optional(),
        Condition: z.union([z.boolean(), Expression]),
        Next: z.string(),
        Output: Template,
        Assign,
      }),
    )
    .min(1),
  Default: z.string().optional(),
});
const resource =
  /^arn:aws:(lambda:[a-z0-9-]+:\d{12}:function:.+|states:::(lambda:invoke|states:startExecution)(\.\S+)?)$/;
const integrations = [
  "lambda:invoke",
  "lambda:invoke.waitForTaskToken",
  "states:startExecution",
  "states:startExecution.sync",
  "states:startExecution.sync:2",
  "states:startExecution.waitForTaskToken",
];
const knownResource = (arn: string) =>
  resource.test(arn) && (!arn.startsWith("arn:aws:states:::") || integrations.includes(arn.slice(17)));
const Task = z.strictObject({
  Type: z.literal("Task"),
  ...Flow,
  ...Results,
  ...Recovery,
  Resource: z.string().refine(knownResource, "this task resource is not embedded here"),
  Arguments: Template,
  TimeoutSeconds: PositiveSeconds.optional(),
  HeartbeatSeconds: PositiveSeconds.optional(),
});

const S3Location = z.union([z.record(z.string(), z.unknown()), Expression]);
const ItemReader = z.strictObject({
  Resource: z.enum(["arn:aws:states:::s3:getObject", "arn:aws:states:::s3:listObjectsV2"]),
  ReaderConfig: z
    .strictObject({ InputType: z.enum(["JSON", "JSONL"]).optional(), MaxItems: Count.optional() })
    .optional(),
  Arguments: S3Location,
});
const ItemBatcher = z.strictObject({
  MaxItemsPerBatch: Count.optional(),
  MaxInputBytesPerBatch: Count.optional(),
  BatchInput: Template,
});
const ResultWriter = z.strictObject({
  Resource: z.literal("arn:aws:states:::s3:putObject").optional(),
  Arguments: S3Location.optional(),
  WriterConfig: z
    .strictObject({
      Transformation: z.enum(["NONE", "COMPACT", "FLATTEN"]).optional(),
      OutputType: z.enum(["JSON", "JSONL"]).optional(),
    })
    .optional(),
});
const ProcessorConfig = z.strictObject({
  Mode: z.enum(["INLINE", "DISTRIBUTED"]).optional(),
  ExecutionType: z.enum(["STANDARD", "EXPRESS"]).optional(),
});

const MapState = z.strictObject({
  Type: z.literal("Map"),
  ...Flow,
  ...Results,
  ...Recovery,
  get ItemProcessor() {
    return Processor;
  },
  Items: z.union([z.array(z.unknown()), Expression]).optional(),
  ItemSelector: Template,
  MaxConcurrency: Count.optional(),
  // The rest is for Distributed Maps.
  Label: z
    .string()
    .max(40)
    .regex(/^[^\s?*<>{}[\]:;,\\|^~$#%&`"]+$/)
    .optional(),
  ItemReader: ItemReader.optional(),
  ItemBatcher: ItemBatcher.optional(),
  ResultWriter: ResultWriter.optional(),
  ToleratedFailureCount: Count.optional(),
  ToleratedFailurePercentage: z.union([z.number().min(0).max(100), Expression]).optional(),
});
const Parallel = z.strictObject({
  Type: z.literal("Parallel"),
  ...Flow,
  ...Results,
  ...Recovery,
  Arguments: Template,
  get Branches() {
    return z.array(Processor).min(1);
  },
});
const AnyState = z.discriminatedUnion("Type", [Pass, Succeed, Fail, Wait, Choice, Task, MapState, Parallel]);
const Processor = z.strictObject({
  Comment: z.string().optional(),
  QueryLanguage: z.literal("JSONata").optional(),
  ProcessorConfig: ProcessorConfig.optional(),
  StartAt: z.string(),
  get States() {
    return z.record(z.string().min(1).max(80), AnyState);
  },
});
const Machine = Processor.omit({ ProcessorConfig: true }).extend({
  Version: z.literal("1.0").optional(),
  TimeoutSeconds: z.int().min(1).max(secondsMax).optional(),
});

/** What an execution runs: a machine, a branch of a Parallel, the processor of a Map. */
export type Definition = z.infer<typeof Processor> & { TimeoutSeconds?: number | undefined };
export type State = z.infer<typeof AnyState>;
export type TaskState = z.infer<typeof Task>;
export type MapState = z.infer<typeof MapState>;
export type ParallelState = z.infer<typeof Parallel>;
export type ChoiceState = z.infer<typeof Choice>;
export type WaitState = z.infer<typeof Wait>;
export type FailState = z.infer<typeof Fail>;
export type Catcher = z.infer<typeof Catcher>;

export const isDistributed = (state: MapState): boolean => state.ItemProcessor.ProcessorConfig?.Mode === "DISTRIBUTED";

/**
 * Reads a definition in Amazon States Language, JSONata mode, and refuses at deployment what could not run.
 * @throws AwsError InvalidDefinition with every place that is wrong
 */
export function readDefinition(source: object, expressions: Expressions): Definition {
  const parsed = Machine.safeParse(source);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const problems: string[] = [];
  checkMachine(parsed.data, { language: parsed.data.QueryLanguage, names: new Set(), outer: new Set() }, problems);
  for (const [name, state] of everyState(parsed.data)) {
    try {
      expressions.check({ ...state, ItemProcessor: undefined, Branches: undefined }, name);
    } catch (error) {
      problems.push((error as StateFailure).cause);
    }
  }
  if (problems.length > 0) throw invalid(problems.join("; "));
  return parsed.data;
}

const invalid = (why: string) => new AwsError("InvalidDefinition", `Invalid State Machine Definition: ${why}`);

interface Surroundings {
  readonly language: string | undefined;
  /** State names taken so far; they are unique over the whole machine. */
  readonly names: Set<string>;
  /** Variables that enclosing scopes assign and that must not be assigned again inside. */
  readonly outer: ReadonlySet<string>;
}

function checkMachine(machine: Definition, around: Surroundings, problems: string[]): void {
  if (!Object.hasOwn(machine.States, machine.StartAt)) problems.push(`StartAt names no state: ${machine.StartAt}`);
  const assigned = new Set(Object.values(machine.States).flatMap(variablesOf));
  for (const name of assigned) if (around.outer.has(name)) problems.push(`$${name} belongs to an enclosing scope`);
  for (const [name, state] of Object.entries(machine.States)) {
    if (around.names.has(name)) problems.push(`two states are called ${name}`);
    around.names.add(name);
    const language = state.QueryLanguage ?? machine.QueryLanguage ?? around.language;
    if (language !== "JSONata") problems.push(`${name} is written in JSONPath; only JSONata is supported`);
    for (const next of targetsOf(state))
      if (!Object.hasOwn(machine.States, next)) problems.push(`${name} leads to no state: ${next}`);
    problems.push(...flawsOf(name, state));
    const inside = { ...around, language, outer: new Set([...around.outer, ...assigned]) };
    if (state.Type === "Parallel") for (const branch of state.Branches) checkMachine(branch, inside, problems);
    // A Distributed Map's children are executions of their own: outer variables are not theirs to shadow.
    if (state.Type === "Map")
      checkMachine(state.ItemProcessor, isDistributed(state) ? { ...inside, outer: new Set() } : inside, problems);
  }
}

const variablesOf = (state: State): string[] => [
  ...("Assign" in state ? Object.keys(state.Assign ?? {}) : []),
  ...("Catch" in state ? (state.Catch ?? []) : []).flatMap((entry) => Object.keys(entry.Assign ?? {})),
  ...("Choices" in state ? state.Choices : []).flatMap((entry) => Object.keys(entry.Assign ?? {})),
];

const targetsOf = (state: State): string[] => [
  ...("Next" in state && state.Next !== undefined ? [state.Next] : []),
  ...("Catch" in state ? (state.Catch ?? []) : []).map((entry) => entry.Next),
  ...("Choices" in state ? state.Choices : []).map((entry) => entry.Next),
  ...("Default" in state && state.Default !== undefined ? [state.Default] : []),
];

function flawsOf(name: string, state: State): string[] {
  const flaws: string[] = [];
  const ends = state.Type === "Succeed" || state.Type === "Fail" || state.Type === "Choice";
  if (!ends && (state.Next === undefined) === (state.End === undefined)) flaws.push(`${name} needs either Next or End`);
  if (state.Type === "Wait" && (state.Seconds === undefined) === (state.Timestamp === undefined))
    flaws.push(`${name} needs either Seconds or Timestamp`);
  if (state.Type !== "Map") return flaws;
  const { Label, ItemReader, ItemBatcher, ResultWriter, ToleratedFailureCount, ToleratedFailurePercentage } = state;
  const distributedOnly = {
    Label,
    ItemReader,
    ItemBatcher,
    ResultWriter,
    ToleratedFailureCount,
    ToleratedFailurePercentage,
  };
  for (const [field, value] of Object.entries(distributedOnly))
    if (value !== undefined && !isDistributed(state)) flaws.push(`${name}: ${field} is for a DISTRIBUTED Map`);
  if (state.Items !== undefined && ItemReader) flaws.push(`${name} has both Items and an ItemReader`);
  if (ItemBatcher && ItemBatcher.MaxItemsPerBatch === undefined && ItemBatcher.MaxInputBytesPerBatch === undefined)
    flaws.push(`${name}: ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch`);
  if (ResultWriter && !ResultWriter.WriterConfig && !(ResultWriter.Resource && ResultWriter.Arguments))
    flaws.push(`${name}: ResultWriter needs Resource and Arguments, or a WriterConfig`);
  return flaws;
}

function* everyState(machine: Definition): Generator<[string, State]> {
  for (const [name, state] of Object.entries(machine.States)) {
    yield [name, state];
    if (state.Type === "Map") yield* everyState(state.ItemProcessor);
    if (state.Type === "Parallel") for (const branch of state.Branches) yield* everyState(branch);
  }
}
