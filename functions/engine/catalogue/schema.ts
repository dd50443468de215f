import * as z from "zod";
import { ConfigQuery } from "../config/config-query.ts";
import { issueTypes, severities, vulnerabilityTypes } from "../finding.ts";
import { places, StructureQuery } from "../structure/structure-schema.ts";
import {
  AccessModel,
  ControlBody,
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

/**
 * The shape of the YAML files in rules/ and models/. Checked once, when the assets are written; the engine trusts the result.
 * Paths are dotted names after import resolution: `flask.request.args`, `sqlite3.connect().cursor`. `{a,b}` stands for either,
 * a leading `*` for any receiver, `*` in the middle for one segment, `()` for the result of a call.
 */
export const languages = [
  "javascript",
  "typescript",
  "python",
  "java",
  "php",
  "go",
  "csharp",
  "ruby",
  "c",
  "cpp",
  "kotlin",
  "rust",
  "shell",
] as const;

const Slug = z.string().regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/);
const Path = z.string().min(1).max(1_000);
const ConstantValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Bilingual = z.strictObject({ zh: z.string().min(2), en: z.string().min(2) });
const Share = z.number().gt(0).max(1);

/** Position, name, or several of them; `1.shell` is the key shell of the map at position 1, `1.*` any of its elements; `*` is all; `receiver` the object called. */
const Argument = z.union([z.number().int().min(0), z.string().min(1)]);
const Arguments = z
  .union([Argument, z.array(Argument).min(1)])
  .transform((given) => (Array.isArray(given) ? given : [given]));

/** Holds when the argument (or, without one, the value assigned) has one of the properties given. */
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
  /** `absent` and `present` ask whether it was passed; `text` is anything but a literal collection or closure, `spread` a map with input spread into it, `closed` one whose keys are all written out, `catastrophic` a regular expression that can take exponential time (`catastrophic-text`: written as text), `always-true` a function that says yes to everything, `whole` what came in as one piece and has no type of the file, `record` what a class of records has made, `rights` what came in as one piece and has a field that says what somebody may do. */
  shape: z
    .enum([
      "absent",
      "present",
      "list",
      "map",
      "closure",
      "text",
      "constant",
      "spread",
      "closed",
      "catastrophic",
      "catastrophic-text",
      "always-true",
      "whole",
      "record",
      "rights",
    ])
    .optional(),
  /** A fact that a call earlier in the function has set. */
  fact: Slug.optional(),
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

const Sink = z.strictObject({
  ...where,
  argument: Arguments.default([0]),
  family: Slug,
  /** The statement, or a line that uses what it assigns, must contain this. */
  near: z.string().optional(),
  /** Neither the statement nor the lines that use what it assigns may contain this: a response is told its type when it is made already. */
  notNear: z.string().optional(),
  /** Where it is less than the rule says: what is called does something else as a rule. */
  severity: z.enum(severities).optional(),
});
const Pattern = z.strictObject({
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
const Families = z.union([z.literal("all"), z.array(Slug).min(1)]);

export const Model = z.strictObject({
  /** TypeScript uses the models of JavaScript, C++ those of C, Kotlin those of Java. */
  language: z.enum(languages).exclude(["typescript", "cpp", "kotlin"]),
  framework: Slug,
  /** Loaded only for files that import one of these; always when absent. */
  detect: z.strictObject({ imports: z.array(z.string()).min(1) }).optional(),
  /** Names for what a call gives, so that many producers share their sinks. */
  returns: z
    .array(
      z
        .strictObject({
          call: Path.optional(),
          read: Path.optional(),
          /** `plain-field` is what a class declares a field by that takes numbers, choices and the like. */
          gives: Path,
          /** Of a call: what its arguments must be. */
          when: z.array(Condition).default([]),
        })
        .refine(({ call, read }) => (call === undefined) !== (read === undefined), { message: "call or read" })
        .refine(({ call, when }) => call !== undefined || when.length === 0, { message: "when is about calls" }),
    )
    .default([]),
  entryPoints: z
    .array(
      z.strictObject({
        /** Functions with this decorator. */
        decorator: Path.optional(),
        /** Functions passed to this call. */
        call: Path.optional(),
        receiver: z.string().optional(),
        /** Functions whose first parameters carry these names; `{q}` is one that is taken apart and has a part q. */
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
        /** Source kind of all other parameters, or of so many of them. */
        others: Slug.optional(),
        othersMax: z.number().int().positive().optional(),
        /** Types of parameters that the framework makes itself: whole paths, packages that end in a dot, or endings behind a star. */
        except: z.array(Path).default([]),
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
              .array(
                Sink.pick({ argument: true, family: true, when: true, unless: true, notNear: true, confidence: true }),
              )
              .min(1),
          ])
          .default([]),
        confidence: Share.optional(),
      }),
    )
    .default([]),
  sources: z
    .array(
      z.strictObject({
        read: Path.optional(),
        call: Path.optional(),
        kind: Slug,
        receiver: z.string().optional(),
        /** Of a call: what its arguments must and must not be. */
        when: z.array(Condition).default([]),
        unless: z.array(Condition).default([]),
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
  /** Calls that put something in front of all of an application: what it cleans is clean in every file. */
  everywhere: z.array(z.strictObject({ call: Path, cleans: Families })).default([]),
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
          "put",
          "get",
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
          "keys",
          "names",
          "slice",
          "zip",
          "enumerate",
          "pairs",
          "first",
          "second",
          "element",
          "merge",
          "assign",
          "pattern",
        ]),
      }),
    )
    .default([]),
  /** Calls that say what may come in; see interpret/schemas.ts. */
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
        ]),
        of: Argument.default(0),
        /** Of a part: what of the request it is about. */
        part: z.string().optional(),
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
      }),
    )
    .default([]),
  /** Calls that put a value where the template finds it by its name, when the function names the template elsewhere. */
  fills: z.array(z.strictObject({ call: Path, key: Argument.default(0), value: Argument.default(1) })).default([]),
  /**
   * Calls that put a value under a key where whoever has the request finds it, in any file; without a value they ask for it.
   */
  keeps: z
    .array(
      z.strictObject({
        call: Path,
        key: z.number().int().min(0).default(0),
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
  /** Declared types whose values cannot carry an attack: numbers, booleans, identifiers of fixed form. */
  cleanTypes: z.array(z.string()).default([]),
  /** Methods of functions that have the function called later, by a worker; `packed` takes its arguments as a list and a map. */
  deferred: z.array(z.strictObject({ method: z.string(), packed: z.boolean().default(false) })).default([]),
  /** What an object gives under the names of the fields that its class declares, once it has looked at them: by the last name of a property or a method. */
  checked: z.array(z.string()).default([]),
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
        })
        .refine(({ pattern, cleans }) => (pattern === undefined) !== (cleans === undefined), {
          message: "pattern or cleans",
        }),
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

export const Family = z.strictObject({
  type: z.enum(vulnerabilityTypes),
  owasp2021: z
    .string()
    .regex(/^A\d\d$/)
    .nullable(),
  owasp2025: z
    .string()
    .regex(/^A\d\d$/)
    .nullable(),
  /** Text that begins like this is not a finding: the part that matters is fixed. */
  safePrefix: z.string().optional(),
});
export type Family = z.infer<typeof Family>;

const Keywords = z.array(z.string().regex(/^[^A-Z]+$/));

/** A token of one service, see rules/hardcoded-secret/provider-token/providers.yaml. */
export const SecretProvider = z
  .strictObject({
    id: Slug,
    provider: z.string().min(1),
    token: z.string().optional(),
    named: z.string().optional(),
    value: z.string().optional(),
    keywords: Keywords.min(1),
    leads: z.boolean().default(false),
    entropy: z.number().min(0).max(6).default(0),
    allow: z.array(z.string()).default([]),
    severity: z.enum(severities).optional(),
  })
  .refine(({ token, named, value }) => (token === undefined) === (named !== undefined && value !== undefined), {
    message: "token, or named and value",
  });
export type SecretProvider = z.infer<typeof SecretProvider>;

export const Rule = z
  .strictObject({
    id: Slug,
    version: z.number().int().min(1),
    title: Bilingual,
    message: Bilingual,
    fix: Bilingual,
    severity: z.enum(severities),
    confidence: Share,
    /** Only the first place in a function is told: for what is many times the same small thing. */
    oncePerFunction: z.boolean().default(false),
    /** Of a value from another file only the first place in a function is told: for what is put right by looking at the value. */
    oncePerValue: z.boolean().default(false),
    /** How bad it is where only administrators can send what it is about. */
    byAdministrators: z.enum(severities).optional(),
    issueType: z.enum(issueTypes).default("security"),
    /** The rule of the seeded sets that switches it on; without one it is always on. */
    code: z
      .string()
      .regex(/^[A-Z]{2,6}\d{3}$/)
      .optional(),
    /** What other linters call the same thing: who has told them that it is meant is not asked again. */
    linters: z.array(z.string()).min(1).optional(),
    /** What a good part of the files of a language does is how the project does it, and told nowhere. */
    convention: z.literal(true).optional(),
    /** Empty for rules that read any text. */
    languages: z.array(z.enum(languages)).default([]),
    family: Slug,
    cwe: z.array(z.number().int().positive()).min(1),
    references: z.array(z.url()).default([]),
    taint: z
      .strictObject({
        /** Source kinds or groups of them. */
        sources: z.array(Slug).min(1),
        sinks: z.array(Sink.omit({ family: true })).default([]),
        /** The sinks that models have for the family do not count for this rule. */
        ownSinks: z.boolean().default(false),
        /** Outputs of templates that are sinks: what is not escaped, places where escaping for HTML does not help, and fields of records. */
        templates: z.array(z.enum(["raw", "place", "record"])).optional(),
      })
      .optional(),
    patterns: z.array(Pattern).min(1).optional(),
    /** Of patterns: not where this fact is settled. */
    unlessFact: Slug.optional(),
    /** Questions about the shape of code; with `patterns`, which ask about calls, or alone. */
    structure: z.array(StructureQuery).min(1).optional(),
    secret: z
      .strictObject({
        /** Absent where the rule has providers instead. `{name}` stands for a name that ends in one of `names`. */
        regex: z.string().optional(),
        names: z.array(z.string()).default([]),
        /** Lower case; at least one must occur near by before the regular expression runs. */
        keywords: Keywords.default([]),
        /** The group that holds the secret. */
        group: z.number().int().min(0).default(0),
        /** Bits per character that the value must reach. */
        entropy: z.number().min(0).max(6).default(0),
        allow: z.array(z.string()).default([]),
        /** Finds by what a value is called, not by its form: less sure in tests and documentation. */
        generic: z.boolean().default(false),
        /** Tests bring one of their own, as a rule: the key of a server that only the test starts. */
        madeForTests: z.literal(true).optional(),
        /** What everybody tries first: too plain for entropy to tell, so something of `near` must stand around it. */
        common: z.strictObject({ values: z.array(z.string()).min(1), near: z.string() }).optional(),
        /** Read from providers.yaml in the folder of the rule. */
        providers: z.array(SecretProvider).default([]),
      })
      .refine(
        ({ regex, keywords, providers }) =>
          (regex === undefined) === providers.length > 0 && (regex === undefined) === (keywords.length === 0),
        { message: "regex and keywords, or providers.yaml" },
      )
      .optional(),
    /** Routes that lack something; asked when all files are known. */
    control: ControlBody.optional(),
    /** Questions to configuration files. */
    config: z.array(ConfigQuery).min(1).optional(),
    /** What is written for people, in comments and texts of any file; one line at a time. */
    text: z
      .strictObject({
        regexes: z.array(z.string()).min(1),
        /** Lower case; a line must have one of them before the regular expressions run. */
        keywords: z.array(z.string().regex(/^[^A-Z]+$/)).min(1),
      })
      .optional(),
  })
  .refine(
    (rule) =>
      [rule.taint, rule.patterns ?? rule.structure, rule.secret, rule.control, rule.config, rule.text].filter(Boolean)
        .length === 1,
    {
      message: "a rule has exactly one of taint, patterns and structure, secret, control, config, text",
    },
  )
  .refine((rule) => rule.code !== undefined || !(rule.structure || rule.patterns?.some(({ within }) => within)), {
    message: "what looks at the shape of code is asked for by a code",
  });
export type Rule = z.infer<typeof Rule>;

/** Everything that rules and models say, as one JSON document. */
export interface CatalogueData {
  families: Record<string, Family>;
  sourceGroups: Record<string, string[]>;
  rules: Rule[];
  models: Model[];
}
