import type { Constant, Expression, FunctionNode, Operation, Parameter } from "../../ir/ir.ts";
import { byName } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";

/** What the caller's setting must be for a place to be reached: `if ($print) echo $text`. */
export interface PathCondition {
  parameter: number;
  /** The value that it is compared with; without one it is asked whether it is true or false. */
  equals?: Constant;
  holds: boolean;
  /** What the parameter is where it is not given, if it has a default that is known. */
  otherwise?: Constant;
}

/** What is known of the arguments of a call; of the others it is not known what they are. */
export interface KnownArguments {
  count: number;
  /** By their places. */
  constants: Readonly<Record<number, Constant>>;
  /** Parameters of the caller that are handed on as they are, with what they are by default. */
  parameters: Readonly<Record<number, { index: number; otherwise?: Constant }>>;
}

/** Constants among the arguments of a call, by their places: what the caller chooses by them, such as `input("title", true)`. */
export type ToldArguments = Readonly<Record<number, Constant>>;

/** Languages whose functions choose by constants, often those that parameters are by default: `def notice(text, allow_html=False)`. */
const choosesByConstants: ReadonlySet<string> = new Set(["php", "python", "java"]);

/** Texts that say what to do are short. */
const textMax = 40;

/** Notes for the rest of a block what a test of the function's own settings has come out as. */
export function notePath(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (frame.fn && choosesByConstants.has(run.language)) frame.path.push(...conditionsOf(run, frame.fn, test, outcome));
}

function conditionsOf(run: Run, fn: FunctionNode, test: Expression, outcome: boolean): PathCondition[] {
  if (test.kind === "variable") {
    const condition = settingOf(run, fn, test.name);
    return condition ? [{ ...condition, holds: outcome }] : [];
  }
  if (test.kind === "call" && test.callee.kind === "variable" && test.callee.name === "empty")
    return test.args.flatMap(({ value }) => conditionsOf(run, fn, value, !outcome));
  return test.kind === "operation" ? conditionsOfOperation(run, fn, test, outcome) : [];
}

function conditionsOfOperation(
  run: Run,
  fn: FunctionNode,
  { operator, operands }: Operation,
  outcome: boolean,
): PathCondition[] {
  const [left, right] = operands;
  if ((operator === "!" || operator === "not") && left) return conditionsOf(run, fn, left, !outcome);
  if ((outcome ? isAnd : isOr).has(operator))
    return operands.flatMap((operand) => conditionsOf(run, fn, operand, outcome));
  if (!left || !right || !/^[=!]==?$/.test(operator)) return [];
  const [asked, told] = left.kind === "literal" ? [right, left] : [left, right];
  const condition = asked.kind === "variable" && told.kind === "literal" ? settingOf(run, fn, asked.name) : null;
  const holds = operator.startsWith("=") === outcome;
  return condition && told.kind === "literal" ? [{ ...condition, equals: told.value, holds }] : [];
}

const isAnd: ReadonlySet<string> = new Set(["&&", "and"]);
const isOr: ReadonlySet<string> = new Set(["||", "or"]);

/** A parameter that the function leaves as it was given. */
function settingOf(run: Run, fn: FunctionNode, name: string): Omit<PathCondition, "holds"> | null {
  const parameter = fn.params.findIndex((param) => param.name === name && !param.rest);
  const param = fn.params[parameter];
  return param && isLeft(run, fn, param) ? { parameter, ...defaultOf(param) } : null;
}

/** Languages whose functions find others under constants: `publish("paid", note)`. */
const findsByKeys: ReadonlySet<string> = new Set(["javascript", "go"]);

const isText = ({ constants }: Value): boolean => constants?.length === 1 && typeof constants[0] === "string";

const isLeft = (run: Run, fn: FunctionNode, param: Parameter): boolean =>
  !run.assignmentsOf(param.name).some((at) => at > param.end && at < fn.end);

const defaultOf = ({ default: given }: Parameter): { otherwise?: Constant } =>
  given?.kind === "literal" ? { otherwise: given.value } : {};

/** Where the key stands under which a function was found that is called, among what is known of its arguments. */
export const keyPlace = -1;

/** What linking, or the summary of a function, has to know of a call to tell which of its ways are taken. */
export function knownArguments(
  run: Run,
  { fn }: Frame,
  args: readonly Value[],
  key?: number,
): KnownArguments | undefined {
  if (
    !choosesByConstants.has(run.language) &&
    key === undefined &&
    !(findsByKeys.has(run.language) && args.some(isText))
  )
    return undefined;
  const constants: Record<number, Constant> = {};
  const parameters: Record<number, { index: number; otherwise?: Constant }> = {};
  if (key !== undefined) parameters[keyPlace] = { index: key };
  for (const [at, { constants: known, paths }] of args.entries()) {
    const [value] = known ?? [];
    if (known?.length === 1 && value !== undefined && String(value).length <= textMax) constants[at] = value;
    const index = fn ? fn.params.findIndex(({ name }) => paths.includes(byName(name))) : -1;
    const param = fn?.params[index];
    if (fn && param && isLeft(run, fn, param)) parameters[at] = { index, ...defaultOf(param) };
  }
  return { count: args.length, constants, parameters };
}

/** The constants among arguments; undefined where there are none. */
export function toldBy(args: readonly Value[]): ToldArguments | undefined {
  const told = args.flatMap(({ constants }, at): [number, Constant][] => {
    const [value] = constants ?? [];
    return constants?.length === 1 && value !== undefined && String(value).length <= textMax ? [[at, value]] : [];
  });
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** Whether as much is known of two calls. */
export const isAlike = <Known extends KnownArguments | ToldArguments>(
  a: Known | undefined,
  b: Known | undefined,
): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Whether a place can be reached by a call. */
export const mayHold = (conditions: readonly PathCondition[] | undefined, known: KnownArguments | undefined): boolean =>
  !conditions || !known || conditions.every((condition) => outcomeOf(condition, known) !== false);

/** The conditions of a place that are those of the caller: what it hands on decides. */
export function passedOn(
  conditions: readonly PathCondition[] | undefined,
  known: KnownArguments | undefined,
): readonly PathCondition[] | undefined {
  if (!conditions || !known) return undefined;
  return conditions.flatMap((condition): PathCondition[] => {
    const handed = known.parameters[condition.parameter];
    if (!handed || outcomeOf(condition, known) !== null) return [];
    const { otherwise: _, ...asked } = condition;
    return [{ ...asked, parameter: handed.index, ...("otherwise" in handed && { otherwise: handed.otherwise }) }];
  });
}

/** What is known of a call within a function when that is called like this. */
export function knownFurther(inner: KnownArguments | undefined, outer: KnownArguments | undefined): typeof inner {
  if (!inner || !outer) return inner;
  const constants = { ...inner.constants };
  for (const [at, { index, otherwise }] of Object.entries(inner.parameters)) {
    const value = argumentAt(outer, index, otherwise);
    if (value !== undefined) constants[Number(at)] = value;
  }
  return { count: inner.count, constants, parameters: {} };
}

/** Of two ways to one place, what both ask for. */
export const commonConditions = (
  a: readonly PathCondition[] | undefined,
  b: readonly PathCondition[] | undefined,
): readonly PathCondition[] | undefined =>
  a?.filter((one) => b?.some((other) => JSON.stringify(one) === JSON.stringify(other)));

function outcomeOf({ parameter, equals, holds, otherwise }: PathCondition, known: KnownArguments): boolean | null {
  const value = argumentAt(known, parameter, otherwise);
  // PHP takes this text for false, and Python for true.
  if (value === undefined || (value === "0" && equals === undefined)) return null;
  return (equals === undefined ? isTrue(value) : isEqual(value, equals)) === holds;
}

/** Undefined where it is not known what it is. */
function argumentAt(known: KnownArguments, place: number, otherwise: Constant | undefined): Constant | undefined {
  return place >= known.count ? otherwise : known.constants[place];
}

const isTrue = (value: Constant): boolean => Boolean(value) && value !== "0";

/** As `==` of PHP has it, for what settings are compared with. */
const isEqual = (a: Constant, b: Constant): boolean =>
  typeof a === typeof b
    ? a === b
    : typeof a === "boolean" || typeof b === "boolean" || a === null || b === null
      ? isTrue(a) === isTrue(b)
      : String(a) === String(b);
