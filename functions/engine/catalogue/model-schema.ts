import * as z from "zod";
import {
  AccessModel,
  ControlModel,
  EffectModel,
  FrontModel,
  InputModel,
  MountModel,
  OwnerModel,
  RecordModel,
  RouteModel,
  RouterModel,
} from "../web/web-schema.ts";
import { EntryPointModel } from "./entry-point-schema.ts";
import { languages } from "./languages.ts";
import { Argument, Arguments, Condition, Families, Path, Sink, Slug } from "./statement-schema.ts";

/** The shape of the YAML files in models/: what the API of a framework means. Checked once, when the assets are written. */
export const Model = z.strictObject({
  /** TypeScript uses the models of JavaScript, C++ those of C, Kotlin those of Java. */
  language: z.enum(languages).exclude(["typescript", "cpp", "kotlin"]),
  framework: Slug,
  /**
   * Loaded only for files that import one of these, or that have one of these texts: a class that extends one of another file needs no
   * import of what that is made with. Always when absent.
   */
  detect: z
    .strictObject({ imports: z.array(z.string()).min(1), texts: z.array(z.string().min(8)).default([]) })
    .optional(),
  /** Names for what a call gives, so that many producers share their sinks. */
  returns: z
    .array(
      z
        .strictObject({
          call: Path.optional(),
          read: Path.optional(),
          gives: Path,
          /** Of a call: what its arguments must be. */
          when: z.array(Condition).default([]),
        })
        .refine(({ call, read }) => (call === undefined) !== (read === undefined), { message: "call or read" })
        .refine(({ call, when }) => call !== undefined || when.length === 0, { message: "when is about calls" }),
    )
    .default([]),
  entryPoints: z.array(EntryPointModel).default([]),
  sources: z
    .array(
      z
        .strictObject({
          read: Path.optional(),
          call: Path.optional(),
          kind: Slug,
          receiver: z.string().optional(),
          /** Of a call: what its arguments must and must not be. */
          when: z.array(Condition).default([]),
          unless: z.array(Condition).default([]),
          /** Of a call: not where what follows in its function has this. */
          notBefore: z.string().optional(),
          /** Of a read: not where this fact is settled. */
          unlessFact: Slug.optional(),
          /** Of a read: only in a class that is called like this, or extends one that is. */
          ofClass: z.string().optional(),
          /** Of a read: only where the object read from is input already; its kind changes. */
          ofInput: z.boolean().default(false),
          /** Of a call: what the library has taken out of it already, or what it cannot be, such as an object where it gives text. */
          cleans: z.array(Slug).default([]),
          /** What calls make of it is something else. */
          shallow: z.boolean().default(false),
        })
        .refine(({ call, read }) => (call === undefined) !== (read === undefined), { message: "call or read" })
        .refine(
          ({ call, when, unless, notBefore }) =>
            call !== undefined || (when.length + unless.length === 0 && notBefore === undefined),
          { message: "when, unless and notBefore are about calls" },
        )
        .refine(({ read, unlessFact, ofClass, ofInput }) => read !== undefined || !(unlessFact || ofClass || ofInput), {
          message: "unlessFact, ofClass and ofInput are about reads",
        }),
    )
    .default([]),
  sinks: z.array(Sink).default([]),
  sanitizers: z
    .array(
      z.strictObject({
        call: Path.optional(),
        read: Path.optional(),
        cleans: Families,
        receiver: z.string().optional(),
        /** Of what is read: no last name of the receiver may match. */
        notReceiver: z.string().optional(),
        when: z.array(Condition).default([]),
        unless: z.array(Condition).default([]),
      }),
    )
    .default([]),
  /** Calls that give back what had been made harmless: what is decoded can be dirty again. */
  decoders: z.array(z.strictObject({ call: Path, undoes: Families })).default([]),
  /** Calls that write into what they are given: by default what the receiver carries, else an argument, or new input of a kind. */
  outputs: z
    .array(
      z.strictObject({
        call: Path,
        argument: Arguments,
        from: Argument.default("receiver"),
        kind: Slug.optional(),
        unless: z.array(Condition).default([]),
      }),
    )
    .default([]),
  /**
   * Calls that put something in front of all of an application: what it cleans is clean in every file, or of that only objects of declared
   * classes, which it leaves no other fields.
   */
  everywhere: z
    .array(
      z.strictObject({
        call: Path,
        cleans: Families,
        of: z.enum(["all", "declared"]).default("all"),
        when: z.array(Condition).default([]),
      }),
    )
    .default([]),
  /** Tests that clean what they test when they hold: the receiver or an argument. */
  guards: z
    .array(
      z.strictObject({
        call: Path,
        of: Argument,
        cleans: Families.default([] as string[]),
        /** It asks whether an object is as its class says of the fields. */
        asksFields: z.boolean().default(false),
        when: z.array(Condition).default([]),
        unless: z.array(Condition).default([]),
        /** What the operand is made of is tested with it: text that the server has signed, whole. */
        ofParts: z.boolean().default(false),
        /** The answer that tells the operand is clean; false for tests that look for something bad. */
        answer: z.boolean().default(true),
        /** It throws where it does not hold, so that whatever follows knows that it does. */
        throws: z.boolean().default(false),
      }),
    )
    .default([]),
  /** What methods of containers and builders do to their receiver. */
  containers: z
    .array(
      z.strictObject({
        call: Path,
        does: z.enum([
          "append",
          "append-each",
          "put",
          "get",
          "compute",
          "prepend",
          "first-element",
          "last-element",
          "take-first",
          "take-last",
          "clear",
          "cut",
          "remove",
          "absorb",
          "new-text",
          "append-text",
          "same",
          "list",
          "new-list",
          "new-map",
          "map-of",
          "keys",
          "names",
          "slice",
          "concat",
          "sift",
          "zip",
          "enumerate",
          "pairs",
          "first",
          "second",
          "element",
          "merge",
          "assign",
          "pattern",
          "tasks",
          "tasks-in-turn",
          "for-each",
          "promise",
        ]),
      }),
    )
    .default([]),
  /** Calls that say what may come in; see interpret/validators/schemas.ts. */
  schemas: z
    .array(
      z.strictObject({
        call: Path,
        /** What is let through: nothing that can do harm, text, a map or a list of what the argument says, or what the receiver lets through. */
        is: z.enum([
          "plain",
          "text",
          "anything",
          "fields",
          "elements",
          "one-of",
          "all-of",
          "same",
          "more",
          "pattern",
          "part",
          "validator",
          "given",
          "list-of",
          "open",
          "closed",
          "closed-fields",
          "field",
        ]),
        of: Arguments.default([0]),
        /** Of a part: what of the request it is about. */
        part: z.string().optional(),
        /** Of a field that the receiver is told of, by its name: what it lets through. */
        lets: z.enum(["plain", "text", "anything"]).optional(),
        when: z.array(Condition).default([]),
      }),
    )
    .default([]),
  /** Calls that hold what has come in against a schema. */
  parsers: z
    .array(
      z.strictObject({
        call: Path,
        receiver: z.string().optional(),
        argument: Argument.default(0),
        /** Where the schema is: an argument, the receiver, or what is called. */
        schema: Argument.default("receiver"),
        /** The fields of what is given under which that lies which was let through; "" where it is given itself; none where only an answer is. */
        gives: z.array(z.string()).default([""]),
        /** What tells that all was let through: coming back at all, the answer, or fields such as `error` of what is given. */
        tells: z.enum(["after", "answer", "fields"]).default("after"),
        /** Of what reads the request itself: where it hands what it let through, as what it gives, or to what it decorates. */
        hands: z.enum(["result", "next", "named"]).optional(),
      }),
    )
    .default([]),
  /** Calls and assignments that settle something, for the rest of the function or of an object. */
  facts: z
    .array(
      z
        .strictObject({
          call: Path.optional(),
          assign: Path.optional(),
          /** Of a call: it is settled of the object that is called on, and of what that makes. */
          of: z.literal("receiver").optional(),
          sets: Slug,
          when: z.array(Condition).default([]),
        })
        .refine(({ call, assign }) => (call === undefined) !== (assign === undefined), { message: "call or assign" }),
    )
    .default([]),
  /** Calls that look a setting up by its key: files of settings tell its value, and a default what it is without. */
  settings: z
    .array(z.strictObject({ call: Path, key: Argument.default(0), otherwise: Argument.default(1) }))
    .default([]),
  /** Calls that render a template, or load it to be rendered: its name, and what it gets; `named` is all that is passed by name. */
  templates: z
    .array(
      z.strictObject({
        call: Path,
        name: Argument.default(0),
        /** Empty where the template is only loaded. */
        context: z
          .union([Argument, z.array(Argument)])
          .transform((given) => (Array.isArray(given) ? given : [given]))
          .default([]),
        /** Whether the engine escapes what does not say that it is HTML. */
        escapes: z.boolean().default(true),
        /** What applications call a function that they write themselves: it is asked for what it does, like all of theirs. */
        own: z.boolean().default(false),
      }),
    )
    .default([]),
  /** Calls that put a value where the template finds it by its name, when the function names the template elsewhere. */
  fills: z.array(z.strictObject({ call: Path, key: Argument.default(0), value: Argument.default(1) })).default([]),
  /**
   * Calls that put a value under a key where whoever has the request finds it, in any file; without a value they ask for it.
   */
  /**
   * What makes a function known to templates under a name: a call, which is given both; a decorator; a table, into which functions are put.
   * `shown`: the engine does not escape what it gives.
   */
  helpers: z
    .array(
      z.strictObject({
        call: Path.optional(),
        decorator: Path.optional(),
        table: Path.optional(),
        name: Argument.default(0),
        function: Argument.default(1),
        shown: z.boolean().default(false),
        when: z.array(Condition).default([]),
      }),
    )
    .default([]),
  keeps: z
    .array(
      z.strictObject({
        call: Path,
        /** An argument, or what it is asked of, by its name. */
        key: z.union([z.number().int().min(0), z.literal("receiver")]).default(0),
        value: z.number().int().min(0).optional(),
      }),
    )
    .default([]),
  /** Functions of the language or a library about which nothing more is to say: what comes out is made of what goes in. */
  library: z.array(Path).default([]),
  /** Functions that do not come back. */
  exits: z.array(Path).default([]),
  /** Functions that come back only where their first argument holds. */
  asserts: z.array(Path).default([]),
  /** Functions that come back only where it does not. */
  refutes: z.array(Path).default([]),
  /** Declared types whose values cannot carry an attack: numbers, booleans, identifiers of fixed form. */
  cleanTypes: z.array(z.string()).default([]),
  /** Methods that have a function called later, by a worker: that of which they are methods, or the one that they are `passed`, itself or by its name; `packed` takes its arguments as a list and a map; of a class, the method that it `runs` of an object of it, or nothing more than the constructor where it `makes` one, with what stands `behind` so many arguments. */
  deferred: z
    .array(
      z.strictObject({
        method: z.string(),
        packed: z.boolean().default(false),
        passed: z.int().nullable().default(null),
        runs: z.string().nullable().default(null),
        makes: z.boolean().default(false),
        behind: z.int().min(0).default(0),
      }),
    )
    .default([]),
  /** How methods begin that are called without that word, by way of their framework, which passes so many arguments of its own: `scopeOpen($query)` is called as `open()`. */
  shortened: z.array(z.strictObject({ prefix: z.string(), own: z.int().min(0).default(0) })).default([]),
  /** What an object gives under the names of the fields that its class declares, once it has looked at them: by the last name of a property or a method. */
  checked: z.array(z.string()).default([]),
  /** How methods of a class are known that look at one of its fields and raise where it does not fit: a decorator that names it, or how they begin. */
  fieldChecks: z.array(Path).default([]),
  /** Decorators of interfaces whose methods a generator writes: what they give is made of what they are given. */
  generated: z.array(Path).default([]),
  /** Calls that hand an object to whoever listens for objects of its class. */
  announcements: z.array(z.strictObject({ call: Path, argument: Argument.default(0) })).default([]),
  /** What listens for objects of the class that a parameter is declared with: a function, or a parameter, with this decorator; a method. */
  listeners: z
    .array(
      z
        .strictObject({
          decorator: Path.optional(),
          parameterDecorator: Path.optional(),
          method: z.string().optional(),
        })
        .refine((by) => Object.values(by).filter((named) => named !== undefined).length === 1, {
          message: "one of them",
        }),
    )
    .default([]),
  /**
   * Decorators of parameters and fields by which what does not fit is refused, where the framework is asked to look: text has to match a
   * regular expression, given as an argument, or it is made harmless for some families.
   */
  constraints: z
    .array(
      z
        .strictObject({
          decorator: Path,
          pattern: Argument.optional(),
          cleans: Families.optional(),
          /** Of an annotation's type: the argument that names the class which is asked, and by which method. */
          asks: z.strictObject({ argument: z.string(), method: z.string() }).optional(),
        })
        .refine(
          ({ pattern, cleans, asks }) => [pattern, cleans, asks].filter((told) => told !== undefined).length === 1,
          { message: "pattern, cleans or asks" },
        ),
    )
    .default([]),
  /**
   * Decorators that ask the framework to look: of a function or its class for the constraints of its `parameters`, of a parameter for those
   * that the `fields` of its class have. A `report` is a parameter behind it, of this type, that takes what is wrong instead of refusing it.
   */
  validations: z
    .array(z.strictObject({ decorator: Path, of: z.enum(["parameters", "fields"]), report: Path.optional() }))
    .default([]),
  /** Objects that live as long as a request and are read in other files, beside those that entry points take. */
  carriers: z.array(Path).default([]),
  /** Objects that live as long as the application and whose fields other files call methods of: those fields hold no input. */
  holders: z.array(Path).default([]),
  /** Fields under which a controller keeps values that its views find by their names. */
  bags: z.array(Path).default([]),
  /** Ways into the application, and what stands in front of them; see web/web-schema.ts. */
  routes: z.array(RouteModel).default([]),
  mounts: z.array(MountModel).default([]),
  fronts: z.array(FrontModel).default([]),
  /** Names that tell that a control is in force. */
  controls: z.array(ControlModel).default([]),
  /** Calls that tell what a handler does. */
  effects: z.array(EffectModel).default([]),
  /** Calls that work on records, and names of what chooses them. */
  records: z.array(RecordModel).default([]),
  owners: z.array(OwnerModel).default([]),
  inputs: z.array(InputModel).default([]),
  routers: z.array(RouterModel).default([]),
  accesses: z.array(AccessModel).default([]),
});
export type Model = z.infer<typeof Model>;
