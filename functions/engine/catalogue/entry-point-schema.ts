import * as z from "zod";
import { Argument, Condition, Path, Share, Sink, Slug } from "./statement-schema.ts";

/** Functions that a framework calls, by one of the ways in which it finds them, and what it passes to them. */
export const EntryPointModel = z.strictObject({
  /** Functions with this decorator. */
  decorator: Path.optional(),
  /** Functions passed to this call. */
  call: Path.optional(),
  receiver: z.string().optional(),
  /** Of a call: what it is passed may be an object too, whose methods are called. */
  methods: z.literal(true).optional(),
  /** Functions whose first parameters carry these names; `{q}` is one that is taken apart and has a part q, `*` whatever it is called. */
  names: z.array(z.array(z.string()).min(1)).optional(),
  /** Functions that the file exports under this name, `*` for any; only those with the names, where there are such too. */
  exported: z.string().optional(),
  /** Of functions told by names, exported ones and methods: the file must have this somewhere. */
  file: z.string().optional(),
  /** Methods of this name, in classes that extend `of` where that is given; `set*` are all setters, `*` all that others may call. */
  method: z.string().optional(),
  of: Path.optional(),
  /** Parameters with this decorator. */
  parameterDecorator: Path.optional(),
  /** The argument of that decorator which the framework calls to make the value, and passes its own parameters as well; without it the declared type is called. */
  calls: Argument.optional(),
  /** It is an object of the class that the parameter declares, of which models may say that it has no other fields. */
  declared: z.literal(true).optional(),
  /** What a parameter with the decorator is, where it is more than plain input. */
  type: Path.optional(),
  /** What the arguments of the call, or of the decorator of a parameter or of the function, must and must not be. */
  when: z.array(Condition).default([]),
  unless: z.array(Condition).default([]),
  /** Of a decorated function or a method: it or its class has this decorator too, or has not. */
  with: Path.optional(),
  without: Path.optional(),
  /** Of a decorated function or a method: what its declared result must match. */
  result: z.string().optional(),
  /** What `this` is in the function, where that says something. */
  self: Path.optional(),
  /** Type paths of the leading parameters. A function with one parameter more takes an error first. */
  parameters: z.array(Path).default([]),
  /** The leading parameters are these alone, whatever they are declared as: a request that is about to be sent is no input. */
  instead: z.literal(true).optional(),
  /** Source kind of all other parameters, or of so many of them. */
  others: Slug.optional(),
  othersMax: z.number().int().positive().optional(),
  /** Types of parameters that the framework makes itself: whole paths, packages that end in a dot, or endings behind a star. */
  except: z.array(Path).default([]),
  /** Of a call: the list that has for each parameter what fills it, and the paths of what hands on where a file was stored that was sent. */
  fields: Condition.optional(),
  /** Families for which what the function returns is a sink. */
  returns: z
    .union([
      Slug.transform((family) => [
        {
          argument: [0] as (string | number)[],
          family,
          when: [],
          unless: [],
          notNear: undefined,
          confidence: undefined,
        },
      ]),
      /** Position 0 is what becomes a page, 1 is all that is returned. */
      z
        .array(Sink.pick({ argument: true, family: true, when: true, unless: true, notNear: true, confidence: true }))
        .min(1),
    ])
    .default([]),
  /** Of a call: what its functions give is looked at as if the call had it as its argument `given`. */
  gives: z.literal(true).optional(),
  confidence: Share.optional(),
});
