import type { AskedConstant, AskedSetting } from "../artefact.ts";
import type { Families, Match } from "../catalogue/catalogue.ts";
import type { Name } from "../findings/candidates.ts";
import type { Span } from "../ir/ir.ts";
import type { KnownArguments, PathCondition } from "./calls/path-conditions.ts";
import type { Passage } from "./guards/passage.ts";
import type { Output } from "./memory/pointers.ts";
import type { Scope } from "./scope.ts";
import type { ClassInfo, Source, Step, Taint, Value } from "./value.ts";

/** A sink that a parameter of the function reaches. */
export interface Flow {
  match: Match;
  parameter: number;
  /** The field of the parameter that gets there, where it is known to be only that. */
  field?: string | undefined;
  clean: Families;
  at: Span;
  sink: Name;
  symbol: string;
  /** The function that it lies in, which may have no name; null for the file. */
  fn: Span | null;
  statement: Span;
  step: Step;
  via?: readonly Passage[] | undefined;
  /** What gets there has a type of another file, which must say what somebody may do. */
  entity?: string | undefined;
  /** What the caller's settings must be for it to be reached. */
  conditions?: readonly PathCondition[] | undefined;
  /** It lies in no function that this one calls: the parameter was kept, and somebody has asked for it. */
  kept?: true | undefined;
}

/** What a call of a function does, in terms of its parameters. */
export interface Summary {
  /** The object and the arguments that it was summarised for. */
  self: Value | null;
  parameters: { name: string; value: Value }[];
  /** What it stores where others find it, in fields of objects and variables around it, that is made of its parameters. */
  keeps: Keep[];
  flows: Flow[];
  /** Parameters handed to other files; their source is the parameter. */
  passes: Handover[];
  returns: Value;
  /** What it throws and does not catch: messages of errors are shown as often as not. */
  throws: Value;
  /** What it calls functions with that it is handed; see callbacks.ts. */
  given: { part: string; taint: Taint }[];
  /** What it writes where its parameters point, in languages that have pointers. */
  outputs: Output[];
  /** Facts that hold once the function has returned. */
  settles: ReadonlySet<string>;
  /** It throws or ends the request on every path. */
  leaves: boolean;
  /** What is known about the arguments once it has answered; see `Guard`. */
  guard: Guard;
}

/** A field of a class or a variable around a function, and what is stored in it. */
export interface Keep {
  readonly into: ClassInfo | Scope;
  readonly name: string;
  value: Value;
}

/** The families each parameter is sure to be clean for, by its index, after the function returned something true, something false, or at all. */
export interface Guard {
  true: Families[] | null;
  false: Families[] | null;
  after: Families[] | null;
  good: Families[] | null;
  bad: Families[] | null;
  /** The same of elements of what is there everywhere, whose key is a parameter: `isNumber($name)` looks at `$_POST[$name]`. */
  elements: Record<Outcome, readonly CleanElement[] | null>;
  /** The same of what parameters are asked for by a key; `of` is the call without them. */
  asked: Record<Outcome, readonly CleanElement[] | null>;
  /** What functions of other files have looked at each parameter, and how they answered. */
  passages: Record<Outcome, readonly (readonly Passage[] | undefined)[] | null>;
}

/** What a function answered, if at all; `good` or `bad` where a part of what it returned says so: see guards/verdicts.ts. */
export type Outcome = "true" | "false" | "after" | "good" | "bad";

export interface CleanElement {
  of: string;
  /** The parameter that the key is in. */
  key: number;
  clean: Families;
}

/** A problem seen while interpreting, in offsets. */
export interface Hit {
  match: Match;
  at: Span;
  statement: Span;
  symbol: string;
  /** The function that it lies in, which may have no name; null for the file. */
  fn: Span | null;
  sink: Name;
  /** Null for patterns. */
  flow: { source: Source; step: Step; clean: Families; via?: readonly Passage[] | undefined } | null;
  setting?: AskedSetting | undefined;
  constant?: AskedConstant | undefined;
  entity?: string | undefined;
  /** What gets there is what a function of another file gives, as it is: no problem where that is an object. */
  given?: true | undefined;
}

/** A value handed to something another file defines. */
export interface Handover {
  target: string;
  argument: number | string;
  /** The field under which it lies in the argument. */
  field?: string | undefined;
  source: Source;
  clean: Families;
  step: Step;
  at: Span;
  via?: readonly Passage[] | undefined;
  /** The text begins with something else than the input. */
  led?: boolean | undefined;
  /** It is the parameter as it came in, or a map of what that holds. */
  same?: boolean | undefined;
  /** How many arguments the call has, where that tells functions of one name apart. */
  count?: number | undefined;
  /** The type of the argument, where that tells them apart. */
  type?: string | undefined;
  /** Taken as a list, the arguments start a program that runs no other. */
  starts?: true | undefined;
  /** What the caller's settings must be for it to be handed over. */
  conditions?: readonly PathCondition[] | undefined;
  /** What is known of all arguments of the call. */
  known?: KnownArguments | undefined;
}

/** A tainted value kept in a field that other files can read. */
export interface Store {
  field: string;
  /** The field in which this one was stored as part of a whole. */
  within: string;
  /** What of it is filled, where that is not the whole. */
  part?: string | undefined;
  taint: Taint;
  at: Span;
}
