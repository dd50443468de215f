import type { IssueType, Severity, Text } from "./finding.ts";
import type { KnownArguments, PathCondition, ToldArguments } from "./interpret/calls/path-conditions.ts";
import type { GivenFunction, Registered } from "./interpret/calls/registries.ts";
import type { GivenObject, Wiring } from "./interpret/calls/wirings.ts";
import type { Passage } from "./interpret/guards/passage.ts";
import type { Outcome } from "./interpret/summary.ts";
import type { AskedName } from "./interpret/validators/asked-names.ts";
import type { Look, Routed } from "./interpret/validators/routed-handlers.ts";
import type { Constant, Span } from "./ir/ir.ts";
import type { MapperParameters } from "./link/mapper-parameters.ts";
import type { WebRecord } from "./web/web-record.ts";

/** One file to analyse; the path is normalised and uses "/". */
export interface SourceFile {
  path: string;
  bytes: Uint8Array;
}

/** How a file's analysis ended. `reason` is a stable snake_case code, null exactly when nothing was left out. */
export interface Coverage {
  path: string;
  status: "analysed" | "partial" | "skipped" | "failed";
  reason: string | null;
  language: string;
  lines: number;
  bytes: number;
}

/** Whether the same file would give the same again. What has failed, or ran out of time or memory, may come out better the next time. */
export const isRepeatable = ({ status, reason }: Coverage): boolean =>
  status !== "failed" && reason !== "time_limit" && reason !== "memory_limit";

/** A place inside the artefact's own file. */
export interface LocalPlace {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

export interface LocalStep extends LocalPlace {
  code: string;
  role: "source" | "step" | "sink";
}

/** A finding before linking: it knows the file's content, not its path. Texts are rendered from the catalogue by link(). */
export interface Candidate extends LocalPlace {
  ruleId: string;
  severity: Severity;
  confidence: number;
  /** Names filled into the rule's texts. */
  source: string;
  sink: string;
  /** What kind of source it comes from, where it is a value that does. */
  sourceKind?: string;
  symbol: string;
  /** What the fingerprint is made of, see findings/fingerprint.ts. */
  anchor: string;
  snippet: string;
  trace: LocalStep[];
  suppressed: { reason: string } | null;
  /** Where the function begins that it lies in, 0 for none; of rules that are told once a function. */
  functionLine?: number;
  /** So many more of its rule are in the file; it is the last that is listed. */
  more?: number;
  /** Functions of other files that the value has to get through for this to be a problem. */
  via?: Passage[];
  /** It is one only if the setting has such a value. */
  setting?: AskedSetting;
  /** It is one only if a constant of another file has such a value. */
  constant?: AskedConstant;
  /** It is one only if the name can stand for text. */
  bound?: BoundName;
  /** It is one only if this type, of another file, has a field that says what somebody may do. */
  entity?: string;
  /** It is none if what a function of another file gives, as it is, is an object. */
  given?: true;
  /** What the catalogue says of other rules, for rules that it does not have. */
  own?: OwnRule;
}

/** What something is clean for: families as in the catalogue, or all of them, as nothing comes through that does harm. */
export type Cleaned = readonly string[] | "all";

/** A name in the text of a statement, and the method that is called with what it stands for: "com.shop.OrderMapper.find". */
export interface BoundName {
  method: string;
  name: string;
}

/** A question about a constant of another file: whether it is one of these, or a text that matches. */
export interface AskedConstant {
  /** What linking knows it by: see usedPattern. */
  target: string;
  is?: readonly Constant[];
  matches?: string;
}

/** A question about a setting of the project: whether its value matches, and the answer where no file has it. */
export interface AskedSetting {
  key: string;
  matches: string;
  otherwise: boolean;
}

/** A rule of a user, as far as its findings show it. */
export interface OwnRule {
  family: string;
  issueType: IssueType;
  title: Text;
  message: Text;
  fix: Text;
  /** What its metadata says, for rules that have such. */
  cwe?: readonly number[];
  owasp2021?: string | null;
  owasp2025?: string | null;
  /** Globs of the files it is for; applied by link(), which knows the path. */
  paths?: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

/** Where a value that came in by a parameter ends up. */
export interface ParameterFlow {
  parameter: number;
  /** The field of the parameter, where only that gets there. */
  field?: string | undefined;
  /** The candidate that exists as soon as a caller passes attacker input. */
  candidate: Candidate;
  /** Families the value has been cleaned for on its way, as in the catalogue. */
  clean: string[];
  /** It is a problem only if the whole of the argument gets there, and none if a field of it does. */
  whole?: true;
  /** What the caller's settings must be for it to get there. */
  conditions?: readonly PathCondition[];
  /** It is a problem only if the text begins with the input: an address. */
  leads?: boolean;
}

/** The way a value has taken in one file. */
export interface Way {
  /** Families the value has been cleaned for, as in the catalogue. */
  clean: string[];
  via?: Passage[];
  trace: LocalStep[];
}

/** Where a value comes from: attacker input, a parameter of the function, or a place that other files know of. */
export type Origin =
  | { sourceKind: string; source: string; confidence: number; validated?: string }
  | { parameter: number; field?: string | undefined }
  /** A function of another file that has returned it, with the field after "!"; or, after "#", a field that other files may fill. The count is that of the arguments it was called with, or `byFramework`; those of them that are constants are told. */
  | { outside: string; count?: number; told?: ToldArguments }
  /** What another method of the object was given, as this parameter or a field of it; `of` where the class itself keeps it, for all who ask, or the module if that is empty, and the number of its parameters where several have its name. */
  | { kept: { method: string; parameter: number; field?: string; of?: string; count?: number } };

/** A value that goes into a function of another file; the argument by position or name. */
export interface Handover extends Way {
  /** What is called, by import: "./db.find", "app.services.users.find", "com.shop.UserDao.find". */
  target: string;
  argument: number | string;
  /** The field under which the value lies in the argument; without one it is the argument, or all of it. */
  field?: string | undefined;
  /** The text of the argument begins with something else than the value. */
  led?: boolean;
  /** It is the parameter as it came in, or a map of what that holds: each field is where it was. */
  same?: true;
  /** How many arguments the call has, where that tells functions of one name apart. */
  count?: number;
  /** The type of the argument, where that tells them apart. */
  type?: string;
  /** Taken as a list, the arguments start a program that runs no other. */
  starts?: true;
  /** What the settings of the function around it must be, and what is known of the arguments. */
  conditions?: readonly PathCondition[];
  known?: KnownArguments;
}

/** A function that other files can call, and what happens to its parameters. Methods are "Class.method". */
export interface ExportedFunction {
  name: string;
  /** The names of its parameters, as far as callers may use them. */
  parameters: string[];
  /** Their types, where these tell it from others of its name. */
  types?: string[];
  flows: ParameterFlow[];
  /** Parameters that go on into other files; `of` is the field of the parameter. */
  passes: (Handover & { parameter: number; of?: string | undefined })[];
  /** What it returns, as a whole or in a field; `same` where each field of a parameter is where it was, `record` where the whole is an object. */
  returns: (Way & { from: Origin; field?: string | undefined; same?: true; record?: true })[];
  /** Of a method of Go, the same of its object as far as that is looked at: what comes back of it, and by which way. */
  ofObject?: (Way & { from: Origin })[];
  /** Families a parameter is sure to be clean for once the function has answered, besides what the functions say that it has asked; see interpret/run.ts. Of a path in its shortest form it may be that it lies where it should; of a field only that is. */
  guards: {
    check: Outcome;
    parameter: number;
    field?: string;
    clean: Cleaned;
    below?: true;
    via?: readonly Passage[];
  }[];
  /** Where others of its package find what it was given; `from` is one of its parameters. */
  keeps?: LinkRecord["stores"];
  /** It is made with a schema and holds requests against it. */
  looks?: Look;
  /** The fields of the request that are harmless wherever it passes that on, if what it asks other files of them says so: "query.name". */
  lets?: { field: string; via?: readonly Passage[] }[];
  /** What it returns when it is called with so many arguments at most, the others being what they are by default, or with a constant that it asks for. Those that tell most come first. */
  variants?: { count?: number; setting?: { parameter: number; is: Constant }; returns: ExportedFunction["returns"] }[];
  /** What it gives, or the class that it is the constructor of, of parameters that are declared as text, where a framework fills these. */
  filled?: ExportedFunction["returns"];
  /** What of its parameters it puts into tables of its file. */
  registers?: readonly Registered[];
  /** It throws or ends the request on every path. */
  leaves?: true;
  /** A method of Java that its class only declares. */
  open?: true;
  /** It looks at fields of the request whose names it is given; see interpret/validators/asked-names.ts. */
  validates?: true;
  /** A method of PHP that belongs to no object. */
  static?: true;
  /** The class of the object that a function of PHP gives, or a method. */
  makes?: string;
  /** Fields of the object that a constructor of JavaScript makes which have nothing of what anybody has given it. */
  plain?: string[];
  /** It gives the object that it is asked of. */
  self?: true;
  /** It stands for a constant, which is this. */
  value?: Constant;
}

/** A value that goes into another file. */
export interface OutgoingCall extends Handover {
  from: Origin;
}

/** What other files need to know about this one. */
export interface LinkRecord {
  exports: ExportedFunction[];
  calls: OutgoingCall[];
  /** Problems that exist if a value from another file is attacker input. */
  pending: { outside: string; count?: number; told?: ToldArguments; candidate: Candidate }[];
  /**
   * Values kept in fields that other files can read, such as those of the request; "~notes" and "~Board.notes" are a variable of the package
   * and a field of one of its types, of which `part` is filled, and with
   * `isOwn` meant only where it is asked for; parts of what is kept as it came in, the `same`, are where they were.
   */
  stores: (Way & {
    field: string;
    within: string;
    part?: string | undefined;
    isOwn?: true;
    same?: true;
    from: Origin;
  })[];
  /** Names of fields of the request that it has looked at by functions of other files. */
  asked?: AskedName[];
  /** Functions, by the names that they are exported as, that listen for objects of a class: what others announce, see interpret/objects/announced.ts. */
  listens?: { event: string; name: string }[];
  /** Where text is made of input; a finding in another file about such text is told here. */
  texts?: Candidate[];
  /** What its SQL reads, and what it fills with values that come from elsewhere. */
  tables?: { read: { table: string; line: number }[]; written: string[] };
  /** Fields that visitors fill in by its forms and handlers; see link/submitted.ts. */
  submitted?: string[];
  /** Where something in it makes HTML harmless: the words of that line and of those around it, as names of fields. */
  cleansHtml?: { line: string[]; near: string[] }[];
  /** It tells a template engine to escape what it shows, which that does not do by itself. */
  escapesOutput?: true;
  /** Fields of records that the template shows as they are. */
  shown?: { field: string; candidate: Candidate }[];
  /** Names that lead on: re-exports and exported instances. "*" stands for all names of the target. */
  aliases: { name: string; target: string }[];
  /**
   * The families that fields clean by what they let through: "createOrder.body.note" of a schema, "note" of a class of Java or Python by
   * its type or by the call that declares it, "OrderQuery.sort", or "OrderQuery.sort@Create" of a group, by constraints that somebody has
   * to look at, and so "Order.Note" by a tag.
   */
  declared?: Record<string, Cleaned>;
  /** Who is asked besides, by the names of fields and of annotations: "OrderQuery.sku" by "com.shop.Sku", "Sku" by "SkuValidator.isValid". */
  declaredBy?: Record<string, readonly string[]>;
  /** Fields and methods of Java that give objects of one class, by its name: that may be an enumeration, or what others call methods of. */
  kinds?: Record<string, string>;
  /** Handlers of other files that it registers, and what looks at the request before them; see interpret/validators/routed-handlers.ts. */
  routed?: Routed[];
  /** Families for which the file makes all input of the application clean. */
  cleans?: string[];
  /** The same of objects of declared classes only. */
  cleansDeclared?: string[];
  /** The manifest of a package that others install. */
  library?: true;
  /** What the manifest calls its package, and the file that it names as its beginning; "" where it names none. */
  package?: { name: string; main: string };
  /** What a file of settings says, as far as it is names. */
  settings?: Record<string, string>;
  /** What statements in other files are given; see link/mapper-parameters.ts. */
  mappers?: MapperParameters;
  /** Objects of other files that it hands to functions of others, and those that it has under a name; see link/wirings.ts. */
  givenObjects?: GivenObject[];
  wirings?: Wiring[];
  /** Functions, classes and objects that it gives to functions of others, which may put them into tables. */
  givenFunctions?: GivenFunction[];
  /** The methods of mappers that it calls, with whatever: "OrderMapper.find". */
  mapperCalls?: string[];
  /**
   * The classes of the file with the simple names of what they extend or implement, where that is imported from, and the types of fields that other files may declare;
   * `rights` where a field says what somebody may do; the methods that an interface of Go `asks` for.
   */
  classes: {
    name: string;
    bases: string[];
    imported?: string[];
    fields?: Record<string, string>;
    rights?: true;
    asks?: string[];
  }[];
  /** Ways into the application, and what functions do when they are entered. */
  web?: WebRecord;
}

/** A function of the file, by whole lines. */
export interface FunctionPlace {
  /** As in findings; a function without a name has that of the function around it. */
  symbol: string;
  startLine: number;
  endLine: number;
}

/** All that analysis keeps of one file. JSON-serialisable; everything but `coverage.path` depends on content, language and the patterns given only. */
export interface FileArtefact {
  coverage: Coverage;
  sha256: string;
  candidates: Candidate[];
  link: LinkRecord;
  /** By place, the outer ones first; empty where the file was not interpreted. */
  functions: FunctionPlace[];
  /** What nobody may be shown, by offsets in the file's text, for who cuts something out of it later. */
  hidden: Span[];
}
