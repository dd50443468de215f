import * as z from "zod";

/**
 * What models say about routes and what stands in front of them. Regular expressions here look at dotted names: as they are written
 * (`router.post`), and as imports and the first assignment of a variable tell (`express().post`); a call ends in `()`.
 */
const Named = {
  matches: z.string().min(1),
  /** What must not be found in the name. */
  notMatches: z.string().optional(),
};
const Key = z.union([z.number().int().min(0), z.string().min(1)]);
export type Key = z.infer<typeof Key>;
const Keys = z.union([Key, z.array(Key).min(1)]).transform((given) => (Array.isArray(given) ? given : [given]));

export const RouteModel = z.strictObject({
  ...Named,
  /**
   * A call that registers handlers, a decorator of the handler, a name that a page reads (a file that is asked for by its own path), the name
   * under which a file exports a handler, the key of a map of handlers, or a handler that stands behind its path in a row of a table.
   */
  on: z.enum(["call", "decorator", "page", "export", "entry", "row"]),
  /** Of exports, entries and rows: the file must have this somewhere. */
  file: z.string().optional(),
  /** Handlers may be named instead of written; see callable.ts. */
  byName: z.boolean().default(false),
  /** Arguments, by position or name, or keys of a map that is the first argument, that hold the path. */
  path: Keys.default([0]),
  /** A path is required, and begins like this. */
  pathMatches: z.string().optional(),
  /** Positional arguments from here on are handlers, or what stands in front of the last one. */
  handlers: z.number().int().min(0).default(1),
  /** Keys under which a map among the arguments holds the handler. */
  handlerKeys: z.array(z.string()).default([]),
  /** The argument that lists the methods; without it, or where it is absent, the name that is called tells. */
  methods: Key.optional(),
  /** A later call of the chain that lists them: `router.HandleFunc("/a", f).Methods("POST")`. */
  methodsBy: z.string().optional(),
  /** The method where neither tells. */
  otherwise: z.string().default("ANY"),
  /** The decorator of the class whose argument goes before the path. */
  prefix: z.string().optional(),
  /** Of a decorator: the group of this in the path of its file is the path, before the name of the function. */
  pathIn: z.string().optional(),
  /** More belongs to the path than is read here, so that patterns cannot be compared with it. */
  partial: z.boolean().default(false),
  /** Of a decorator: what its function must be called like. */
  named: z.string().optional(),
  /** Decorates classes, too; their methods are the handlers. */
  classes: z.boolean().default(false),
  /** What the framework itself asks for where handlers are registered like this. */
  controls: z.array(z.string()).default([]),
});

export const MountModel = z.strictObject({
  ...Named,
  /** A call that puts something in front of a router, the decorator of a function that comes first, or the name under which a file exports what stands in front of all. */
  on: z.enum(["call", "decorator", "export"]),
  /** Of exports: the file must have this somewhere. */
  file: z.string().optional(),
  /** Arguments that hold the path, where it stands for part of the routes only. */
  path: Keys.default([0]),
  /**
   * What it stands in front of: what the method is called on, the variable that the call makes, what is registered in the same chain of calls,
   * or what the function that it is given registers.
   */
  of: z.enum(["receiver", "result", "chain", "closure"]).default("receiver"),
  /** The router that the call makes is part of the one that it is called on. */
  within: z.boolean().default(false),
  /** Its positional arguments are routers, whose names say nothing about controls. */
  routers: z.boolean().default(false),
  /** It stands in front of what was registered before it as well. */
  always: z.boolean().default(false),
});

/** Where a name has to stand to tell something. */
export const occurrences = [
  "use",
  "decorator",
  "base",
  "parameter",
  "call",
  "sole",
  "read",
  "entry",
  "told",
  "setting",
  "text",
  "assign",
  "access",
] as const;
export type Occurrence = (typeof occurrences)[number];

export const ControlModel = z.strictObject({
  ...Named,
  control: z.string(),
  in: z.array(z.enum(occurrences)).min(1),
  /**
   * The whole application has it, wherever the name stands; of a class that "stands" in front, as long as it is not registered for some paths
   * only, and of one that is to be "registered", unless code registers others and not it.
   */
  application: z.union([z.boolean(), z.enum(["stands", "registered"])]).default(false),
});

/**
 * Calls, and decorators of classes, that say what is asked of requests by their paths; what is asked, by the names that controls list under
 * `access`. In a list the first entry that fits a request decides: `requestMatchers("/notes/**").permitAll()`. A guard stands in front of the
 * paths that are named for it: `addInterceptor(guard).addPathPatterns("/notes/**")`.
 */
export const AccessModel = z.strictObject({
  ...Named,
  on: z.enum(["call", "decorator"]).default("call"),
  /** An entry of a list, the paths that a list is about, a guard, or the paths that the object has it stand in front of or not. */
  tells: z.enum(["entry", "scope", "guard", "paths", "except"]),
  /** The file must have this somewhere. */
  file: z.string().optional(),
  /** Arguments that hold the paths; without it all may. */
  path: Keys.optional(),
  /** The argument that says what an entry asks; without it, the call that goes on does. */
  asks: Key.optional(),
  /** What an entry asks where nothing says it. */
  otherwise: z.string().default(""),
  /** The entry counts before those of other lists. */
  first: z.boolean().default(false),
  /** What no entry of the list fits is for everybody. */
  rest: z.enum(["open", "unknown"]).default("unknown"),
  /** A guard is the object that the call makes, and not the one that it is called on. */
  made: z.boolean().default(false),
  /** How patterns are written: `/notes/*` is all below in those of servlets. Others are not read. */
  style: z.enum(["ant", "servlet", "unknown"]).default("ant"),
  /** Arguments called like this mean nothing that the application answers itself. */
  ignores: z.string().optional(),
});

/** Texts are known by their first two words, in capitals: statements of SQL. */
export const EffectModel = z.strictObject({
  ...Named,
  effect: z.string(),
  in: z.enum(occurrences).default("call"),
  /** It is true of the whole application, wherever the name stands. */
  application: z.boolean().default(false),
  /** The place is remembered, so that a rule can report it. */
  placed: z.boolean().default(false),
});

/** A call that reads, changes or makes records; see records.ts for what it is about. */
export const RecordModel = z.strictObject({
  ...Named,
  /** What names the kind of record; `statement` is the table of the SQL among the arguments. */
  of: Key.default("receiver"),
  /**
   * The arguments that choose the record; `**` are all that are passed by name, `statement` what SQL compares with placeholders, one after
   * the other, and `anything` whatever is filled into it, now or later.
   */
  by: Keys.default([0]),
  /** It works on what was chosen; others only tell whose records are. */
  chooses: z.boolean().default(true),
});

/** Types, or calls that make them, of what routes are registered on: such values are followed through functions that take them. */
export const RouterModel = z.strictObject(Named);

/** Decorators whose arguments name methods of the class that run first: `before_action :sign_in`. */
export const FrontModel = z.strictObject(Named);

/** Calls in the body of a class that name what its records belong to: `belongs_to :user`. */
export const OwnerModel = z.strictObject(Named);

/** Names of what a request brings. */
export const InputModel = z.strictObject(Named);

/** The body of a rule about what routes or applications lack. */
export const ControlBody = z.strictObject({
  /**
   * A route that lacks the control while others have it; an application in which none has it, once; or each place in a handler where `effects`
   * are done without it.
   */
  scope: z.enum(["route", "application", "place"]).default("route"),
  /** Only the handler itself can have the control: each route that lacks it is told, whatever others do. */
  alone: z.boolean().default(false),
  /** What the handler must do for the rule to care, one of these. */
  effects: z.array(z.string()).min(1),
  requires: z.string(),
  /** Controls and effects, of the route or the application, that must be there too. */
  with: z.array(z.string()).default([]),
  /** Controls and effects that make the rule silent. */
  without: z.array(z.string()).default([]),
  /** A control of applications that have the rest where nobody sees it: what they lack is told once, as of those that have it nowhere. */
  elsewhere: z.string().optional(),
  /** Only places that are about records that belong to somebody, as some code of the application tells. */
  owned: z.boolean().default(false),
  /** Only records that are called like this. */
  records: z.string().optional(),
  /** Methods that the rule is about. */
  methods: z.array(z.string()).min(1),
  /** Only routes whose path or handler is called like this. */
  matches: z.string().optional(),
  /** Not routes whose path or handler is called like this: they are for everybody. */
  notMatches: z.string().optional(),
});
export type ControlBody = z.infer<typeof ControlBody>;
