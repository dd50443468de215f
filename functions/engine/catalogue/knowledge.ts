import { append } from "../multimap.ts";
import { WebKnowledge } from "../web/web-knowledge.ts";
import type {
  CallKinds,
  Constraint,
  DefinitionModel,
  EntryPoint,
  Fact,
  HelperModel,
  Match,
  PassedParameter,
  ReadKinds,
  Validation,
} from "./catalogue.ts";
import { lastSegment, PathIndex, PathTable, rememberedMax } from "./paths.ts";

/** Adds to what is known all that is said about paths with this last segment, and under this key. */
type Fill = (knowledge: Knowledge, segment: string) => void;

/** How a function is had called later; see `deferred` of models. */
interface Deferred {
  readonly packed: boolean;
  readonly passed: number | null;
  readonly runs: string | null;
  readonly makes: boolean;
  readonly behind: number;
}

/**
 * All that is known about one language for one set of imports, ready to be asked by path. Of thousands of names that models know a file asks for
 * a few, so what is said about a name is read when it is asked for first.
 */
export class Knowledge {
  /** The names that something is said about and that nobody has asked for. */
  readonly #waiting: Set<string>;
  readonly #fill: Fill;
  readonly #ask = (segment: string): void => {
    if (this.#waiting.delete(segment)) this.#fill(this, segment);
  };

  readonly calls = new PathTable<CallKinds>(
    {
      checks: [],
      sources: [],
      sanitizers: [],
      decoders: [],
      guards: [],
      containers: [],
      schemas: [],
      parsers: [],
      exits: [],
      asserts: [],
      everywhere: [],
      facts: [],
      settings: [],
      templates: [],
      fills: [],
      keeps: [],
      returns: [],
      makes: [],
      outputs: [],
      announcements: [],
      helpers: [],
      entries: [],
    },
    this.#ask,
  );
  readonly reads = new PathTable<ReadKinds>({ checks: [], sources: [], sanitizers: [], holds: [] }, this.#ask);
  readonly assigns = new PathIndex<Match>(this.#ask);
  readonly assignedFacts = new PathIndex<Fact>(this.#ask);
  readonly entries = new Keyed<Match>(this.#ask);
  readonly deferred = new Keyed<Deferred>(this.#ask);
  /** How methods begin that are called without that word, and how many arguments their framework passes. */
  readonly shortened = new Keyed<number>(this.#ask);
  readonly definitions = new Keyed<DefinitionModel>(this.#ask);
  readonly entryDecorators = new PathIndex<EntryPoint>(this.#ask);
  readonly entryNames: EntryPoint[] = [];
  readonly entryExports = new Keyed<EntryPoint>(this.#ask);
  readonly entryMethods = new Keyed<EntryPoint>(this.#ask);
  readonly parameterDecorators = new PathIndex<PassedParameter>(this.#ask);
  readonly helperDecorators = new PathIndex<HelperModel>(this.#ask);
  readonly helperTables = new PathIndex<HelperModel>(this.#ask);
  readonly listeners = new PathIndex<"function" | "parameter" | "method">(this.#ask);
  readonly constraints = new PathIndex<Constraint>(this.#ask);
  readonly validations = new PathIndex<Validation>(this.#ask);
  readonly cleanTypes = new PathSet(this.#ask);
  readonly checked = new PathSet(this.#ask);
  readonly fieldChecks = new PathSet(this.#ask);
  readonly generated = new PathSet(this.#ask);
  readonly shallowKinds = new Set<string>();
  /** What is handed from file to file while one request is answered: fields that one file fills, others read. */
  readonly carriers = new PathSet(this.#ask);
  /** What keeps objects for all requests. */
  readonly holders = new PathSet(this.#ask);
  /** Where a controller keeps what its views find by its name. */
  readonly bags = new PathSet(this.#ask);
  /** Every prefix of every path some model names: resolves a wildcard import to the class that matters. */
  readonly known = new PathSet(this.#ask);
  /** Whether some functions are entry points for being exported. */
  hasEntryExports = false;
  web = new WebKnowledge([]);

  /** @param names those that something is said about: last segments of paths, and keys */
  constructor(names: Iterable<string>, fill: Fill) {
    this.#waiting = new Set(names);
    this.#fill = fill;
  }
}

/** Entries by a key. */
class Keyed<T> {
  readonly #entries = new Map<string, T[]>();
  readonly #ask: (key: string) => void;

  constructor(ask: (key: string) => void) {
    this.#ask = ask;
  }

  get(key: string): readonly T[] | undefined {
    this.#ask(key);
    return this.#entries.get(key);
  }

  add(key: string, entry: T): void {
    append(this.#entries, key, entry);
  }
}

/** Paths as such. */
class PathSet {
  readonly #paths = new Set<string>();
  /** What was answered; the same few are asked for again and again. */
  readonly #answers = new Map<string, boolean>();
  readonly #ask: (segment: string) => void;

  constructor(ask: (segment: string) => void) {
    this.#ask = ask;
  }

  has(path: string): boolean {
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    this.#ask(lastSegment(path));
    const answer = this.#paths.has(path);
    if (this.#answers.size >= rememberedMax) this.#answers.clear();
    this.#answers.set(path, answer);
    return answer;
  }

  add(path: string): void {
    this.#paths.add(path);
  }
}
