import * as z from "zod";
import { severities } from "../finding.ts";
import { places } from "../structure/structure-schema.ts";

/**
 * What all statements of rules and models are made of. The YAML files in rules/ and models/ are checked once, when the assets are
 * written; the engine trusts the result.
 */

export const Slug = z.string().regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/);
/**
 * A dotted name after import resolution: `flask.request.args`, `sqlite3.connect().cursor`. `{a,b}` stands for either, a leading `*` for
 * any receiver, `*` in the middle for one segment, `()` for the result of a call.
 */
export const Path = z.string().min(1).max(1_000);
const ConstantValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export const Share = z.number().gt(0).max(1);

/** Position, name, or several of them; `1.shell` is the key shell of the map at position 1, `1.*` any of its elements; `*` is all; `receiver` the object called. */
export const Argument = z.union([z.number().int().min(0), z.string().min(1)]);
export const Arguments = z
  .union([Argument, z.array(Argument).min(1)])
  .transform((given) => (Array.isArray(given) ? given : [given]));

/** Holds when the argument (or, without one, the value assigned) has the properties given. */
export const Condition = z.strictObject({
  argument: Arguments.optional(),
  /** Is known to be one of these constants. */
  is: z.array(ConstantValue).optional(),
  /** Is a known string that this regular expression finds something in. */
  matches: z.string().optional(),
  /** The same of all strings that it may be. */
  always: z.string().optional(),
  /** The text it is known to begin with matches. */
  begins: z.string().optional(),
  /** Is a known number that is less. */
  below: z.number().optional(),
  /** Goes by a name that this matches, and nothing else tells what it is. */
  called: z.string().optional(),
  /** Is the thing with this path. */
  path: z.array(Path).optional(),
  shape: z
    .enum([
      // Whether it was passed at all.
      "absent",
      "present",
      // What it is known to be; text is whatever is no literal collection and no function.
      "list",
      "map",
      "closure",
      "text",
      "constant",
      // A map that input is spread into, one that was merged with such, and one whose keys are all written out.
      "spread",
      "merged",
      "closed",
      // A regular expression that can take exponential time; the second also where it is written as text.
      "catastrophic",
      "catastrophic-text",
      // A function that says yes to everything.
      "always-true",
      // What came in as one piece and has no type of the file, what a class of records has made, and what came in as one piece and has a
      // field that says what somebody may do.
      "whole",
      "record",
      "rights",
    ])
    .optional(),
  /** A fact that a call earlier in the function has set. */
  fact: Slug.optional(),
  /** Is made of what sources of this kind give, among those that the rule asks about. */
  madeOf: Slug.optional(),
});
export type Condition = z.infer<typeof Condition>;

const where = {
  call: Path.optional(),
  read: Path.optional(),
  /** The target of an assignment. */
  assign: Path.optional(),
  /** A key of an object literal or a named argument. */
  entry: z.string().optional(),
  /** The last name of the receiver must match; for methods whose name alone says little. */
  receiver: z.string().optional(),
  /** No last name of the receiver may match. */
  notReceiver: z.string().optional(),
  when: z.array(Condition).default([]),
  unless: z.array(Condition).default([]),
  confidence: Share.optional(),
};

export const Sink = z.strictObject({
  ...where,
  argument: Arguments.default([0]),
  family: Slug,
  /** The statement, or a line that uses what it assigns, must contain this. */
  near: z.string().optional(),
  /** Neither the statement nor the lines that use what it assigns may contain this: a response is told its type when it is made already. */
  notNear: z.string().optional(),
  /** Where it is less than the rule says: what is called does something else as a rule. */
  severity: z.enum(severities).optional(),
  /** Only of such releases, as a manifest asks for them; where none names the package, it may be any. */
  release: z.strictObject({ of: z.string(), matches: z.string() }).optional(),
});
export const Pattern = z.strictObject({
  ...where,
  /** A method of this name that is written like this: what it should do, it does not. */
  define: z
    .strictObject({
      method: z.string(),
      body: z.enum(["empty", "true"]),
      /** The declared types of its parameters, with commas between. */
      parameters: z.string().optional(),
    })
    .optional(),
  /** The statement or the enclosing function's name must contain this. */
  near: z.string().optional(),
  notNear: z.string().optional(),
  /** The file must have this somewhere: what a plain name means is often told by the names beside it. */
  file: z.string().optional(),
  /** The file must not have this anywhere. */
  notFile: z.string().optional(),
  /** It must stand in such a place; see structure/places.ts. */
  within: z.enum(places).optional(),
  /** For `suspending`: what the declared result of the function may match instead. */
  result: z.string().optional(),
  severity: z.enum(severities).optional(),
});
export const Families = z.union([z.literal("all"), z.array(Slug).min(1)]);
