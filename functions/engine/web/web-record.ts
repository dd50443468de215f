import type { LocalPlace } from "../artefact.ts";

/**
 * A function or class by name: `#name` in the same file, else by import, as in `OutgoingCall.target`. A class stands for all its methods,
 * with `itself` at the end for its decorators and bases alone.
 */
export type Reference = string;
/** No name ends like this; those of Ruby may end in `!` and `?`. */
export const itself = "<class>";

/** Stands for the path of the file, which what is stored about a file does not know. */
export const ownPath = ".";

/** One way into the application, as one file tells of it. */
export interface RouteRecord extends LocalPlace {
  /** GET, POST and so on; ANY where all are meant or nothing tells. */
  methods: string[];
  /** As written, with the prefix of the class; null where it is computed, `ownPath` where the file's own path is it. */
  path: string | null;
  /** What finds the path in that of the file; see web-schema.ts. */
  pathIn?: string;
  /** The server puts more around the path, or another annotation does. */
  isPartial?: boolean;
  /** The variable that it is registered on; null for what the framework finds by itself. */
  router: string | null;
  /** The file itself makes the router. */
  made: boolean;
  /** The place in the order of registration. */
  order: number;
  handler: string;
  handlers: Reference[];
  /** Controls that the registration itself tells of. */
  controls: string[];
  symbol: string;
  anchor: string;
  snippet: string;
  /** Reasons not to report, by rule. */
  suppressed: Record<string, string>;
}

/** Something in front of the routes of a router, or a router put into another. */
export interface MountRecord {
  router: string;
  path: string | null;
  order: number;
  controls: string[];
  /** The file itself makes the router. */
  made?: boolean;
  /** It stands in front of the routers that it names, and of nothing that is registered beside them. */
  alone?: boolean;
  /** Controls that only the name of its last argument tells of: that may be a router, which is named after what it leads to. */
  last?: string[];
  uses: Reference[];
}

/** A place in a function that a rule may report. */
export interface WebPlace extends LocalPlace {
  effect: string;
  /** The kind of record that it is about. */
  record?: string;
  symbol: string;
  anchor: string;
  snippet: string;
  /** Reasons not to report, by rule. */
  suppressed: Record<string, string>;
}

/** What a function, with all functions of its file that it calls, does and looks at; or what a class is. */
export interface FunctionRecord {
  name: string;
  controls: string[];
  effects: string[];
  /** Functions of other files that it calls, and the bases of a class. */
  calls: Reference[];
  /** Functions of other files that stand in front of it: what they do is not done by it. */
  fronts?: Reference[];
  places?: WebPlace[];
}

/** What is asked of requests to some paths. */
export interface AccessRecord {
  /** The list that it is an entry of, where the first that fits a request decides; null for what stands in front whatever else does. */
  list: string | null;
  order: number;
  /** Null where some are computed. */
  paths: string[] | null;
  /** It tells only which paths the list is about. */
  isScope?: boolean;
  /** It counts before all other lists. */
  first?: boolean;
  /** Paths that no entry of its list fits are for everybody. */
  restIsOpen?: boolean;
  /** Paths in front of which it does not stand. */
  except?: string[] | null;
  /** Empty for all. */
  methods: string[];
  controls: string[];
  /** The names of what stands in front: of classes, or of objects called like them. */
  guards?: string[];
}

/** A class that is made to stand in front of routes. */
export interface StandingRecord {
  name: string;
  controls: string[];
  /** It does so only if code registers it. */
  isRegistered?: boolean;
}

/** What settings ask of the paths of an application is among its files: who has it need not believe that they may ask anything. */
export const listedPaths = "listed-paths";
/** The control of a route that settings may stand in front of. */
export const askedInSettings = "asked-in-settings";
/** Methods of the application say whom they serve, which only somebody means who has a login in front of them. */
export const askedOfMethods = "asked-of-methods";
/** The control of a route of such an application, where what stands in front is not among the files. */
export const askedElsewhere = "asked-elsewhere";

/** An annotation that binds filters to the routes that have it: what carries it and is no route stands in front of those. */
export const bindsFilters = "binds-filters";

/** What a file says about the ways into an application. */
export interface WebRecord {
  /** The language of the code that a file of settings speaks about. */
  of?: string;
  routes: RouteRecord[];
  mounts: MountRecord[];
  functions: FunctionRecord[];
  /** Controls that hold, and effects that are done, for the whole application. */
  application: string[];
  /** What may hold for the whole application, or where it is registered. */
  standing?: StandingRecord[];
  accesses?: AccessRecord[];
  /** The kinds of records that belong to somebody. */
  owned?: string[];
}
