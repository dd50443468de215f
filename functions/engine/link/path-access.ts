import type { FileArtefact } from "../artefact.ts";
import { append } from "../multimap.ts";
import type { AccessRecord, StandingRecord } from "../web/web-record.ts";
import { comparable, fits, isExact } from "./path-patterns.ts";
import type { WebFunctions } from "./web-functions.ts";

/** What an entry says of requests that anybody may make. */
const open = "open";
/** Something names exactly the path of the route and opens it: somebody has decided so. */
const meantForAll = "meant-for-all";

interface Placed {
  artefact: FileArtefact;
  record: AccessRecord;
}

/** What is asked of the requests of a route by its path. */
export interface Asked {
  controls: string[];
  /** The application lists what is open, and this is. */
  isOpen: boolean;
}

const nothing: Asked = { controls: [], isOpen: false };

/** Looks up what lists of paths ask and which guards stand where, for the files of one language. */
export class PathAccess {
  readonly #functions: WebFunctions;
  readonly #classes = new Map<string, { artefact: FileArtefact; name: string }>();
  /** By the folder of their module. */
  readonly #entries = new Map<string, Placed[]>();
  readonly #standing: readonly (StandingRecord & { module: string })[];
  readonly #registered = new Set<string>();
  #everywhere: readonly StandingRecord[] | null = null;

  /** @param files of one language, in path order */
  constructor(files: readonly FileArtefact[], functions: WebFunctions) {
    this.#functions = functions;
    for (const artefact of files)
      for (const { name } of artefact.link.web?.functions ?? []) {
        const [type] = name.split(".") as [string];
        if (!this.#classes.has(type.toLowerCase())) this.#classes.set(type.toLowerCase(), { artefact, name: type });
      }
    const placed = files.flatMap((artefact) =>
      (artefact.link.web?.accesses ?? []).map((record) => ({ artefact, record })),
    );
    for (const one of placed) {
      const module = moduleOf(one.artefact);
      append(this.#entries, module, one);
      for (const name of one.record.guards ?? []) this.#registered.add(name.toLowerCase());
    }
    this.#standing = files.flatMap((artefact) =>
      (artefact.link.web?.standing ?? []).map((standing) => ({ ...standing, module: moduleOf(artefact) })),
    );
  }

  /** Whether any file lists what is asked of which paths. */
  get hasLists(): boolean {
    return this.#entries.values().some((entries) => entries.some(({ record }) => record.list !== null));
  }

  /** What is asked by path, and by what stands in front of everything. */
  of(artefact: FileArtefact, path: string | null, methods: readonly string[]): Asked {
    if (this.#entries.size + this.#standing.length === 0) return nothing;
    const own = this.#entries.get(moduleOf(artefact));
    const known = own ? comparable(path) : null;
    const asked = known === null ? this.#all(own) : this.#byPath(own as Placed[], known, methods);
    // Filters that read tokens only tell who is there, where a list says what is open.
    this.#everywhere ??= this.#unregistered();
    const inFront = this.#everywhere.filter(({ isRegistered }) => isRegistered || !asked.isOpen);
    return { controls: [...asked.controls, ...inFront.flatMap(({ controls }) => controls)], isOpen: asked.isOpen };
  }

  /** What stands in front of everything: what is not registered by path, unless it has to be and all that its module registers is known. */
  #unregistered(): readonly StandingRecord[] {
    return this.#standing.filter(
      ({ name, isRegistered, module }) =>
        !this.#registered.has(name.toLowerCase()) && !(isRegistered && this.#registersAll(module)),
    );
  }

  #registersAll(module: string): boolean {
    const names = (this.#entries.get(module) ?? []).flatMap(({ record }) => record.guards ?? []);
    return names.length > 0 && names.every((name) => this.#classes.has(name.toLowerCase()));
  }

  /** Whose path is not known, or who has no lists of its own, may lie behind any. */
  #all(own: readonly Placed[] | undefined): Asked {
    const all = own ?? [...this.#entries.values()].flat();
    return { controls: all.flatMap((one) => this.#asking(one)).filter((control) => control !== open), isOpen: false };
  }

  #byPath(own: readonly Placed[], path: string, methods: readonly string[]): Asked {
    const lists = Map.groupBy(
      own.filter(({ record }) => record.list !== null),
      ({ artefact, record }) => `${artefact.coverage.path}\0${record.list}`,
    );
    const guards = own.filter(({ record }) => record.list === null && isFor(record, methods) && standsAt(record, path));
    const answers = [...lists.values()].flatMap(
      (list) =>
        decide(
          list.map(({ record }) => record),
          path,
          methods,
        ) ?? [],
    );
    const first = answers.find(({ isFirst }) => isFirst);
    const decided = first ? [first] : answers;
    const asked = [
      ...decided.flatMap(({ controls }) => controls),
      ...guards.flatMap((guard) => this.#asking(guard)),
    ].filter((control) => control !== open);
    const isOpen = decided.length > 0 && decided.every(({ controls }) => controls.includes(open));
    const isListed = [...lists.values()].some((list) => list.some(({ record }) => isAsking(record)));
    const isDecided =
      (isOpen && decided.some(({ isExact: exact }) => exact)) ||
      own.some(({ record }) => record.except?.some((pattern) => isExact(pattern) && fits(pattern, path)));
    return { controls: isDecided ? [...asked, meantForAll] : asked, isOpen: isOpen && isListed };
  }

  /** What an entry asks; of guards what they are called, what they are and, if they can refuse, what they look at. */
  #asking({ record }: Placed): string[] {
    const guards = (record.guards ?? []).flatMap((name) => {
      const standing = this.#standing.filter((one) => one.name.toLowerCase() === name.toLowerCase());
      const found = this.#classes.get(name.toLowerCase());
      const reached = found && this.#functions.reached(found.artefact, `#${found.name}`);
      return [
        ...standing.flatMap(({ controls }) => controls),
        ...(reached?.effects.has("refuses") ? reached.controls : []),
      ];
    });
    return [...record.controls, ...guards];
  }
}

/** The folder that the sources or settings of a module lie in: lists of one say nothing about the paths of another. */
function moduleOf({ coverage: { path } }: FileArtefact): string {
  const at = path.search(/(^|\/)(src|config\/packages|app\/config)\//);
  return at < 0 ? "" : path.slice(0, at);
}

const isFor = ({ methods: meant }: Pick<AccessRecord, "methods">, methods: readonly string[]): boolean =>
  meant.length === 0 || methods.every((method) => meant.includes(method));

const isAsking = ({ controls }: AccessRecord): boolean => controls.length > 0 && !controls.includes(open);

function standsAt({ paths, except }: AccessRecord, path: string): boolean {
  // What is not known of a guard is believed to be there.
  if (except?.some((pattern) => fits(pattern, path))) return false;
  return paths === null || paths.some((pattern) => fits(pattern, path));
}

interface Decision {
  controls: string[];
  isFirst: boolean;
  isExact: boolean;
}

/** What the first entry asks that fits; null where the list is about other paths. */
function decide(list: readonly AccessRecord[], path: string, methods: readonly string[]): Decision | null {
  const scopes = list.filter(({ isScope }) => isScope);
  const isAbout = ({ paths }: AccessRecord) => paths === null || paths.some((pattern) => fits(pattern, path));
  if (scopes.length > 0 && !scopes.some(isAbout)) return null;
  const entries = list.filter(({ isScope }) => !isScope).sort((a, b) => a.order - b.order);
  const isFirst = entries.every(({ first }) => first);
  for (const { paths, methods: meant, controls } of entries) {
    if (!isFor({ methods: meant }, methods)) continue;
    const isOpening = controls.includes(open);
    const fitting = paths?.find((pattern) => fits(pattern, path));
    if (paths === null && !isOpening) return { controls: everything(entries), isFirst, isExact: false };
    if (fitting === undefined) continue;
    // What asks something that nothing is known of asks for a login at least.
    const asked = controls.length > 0 ? controls : everything(entries);
    return { controls: asked, isFirst, isExact: isOpening && isExact(fitting) };
  }
  if (isFirst) return null;
  return {
    controls: entries.every(({ restIsOpen }) => restIsOpen) ? [open] : everything(entries),
    isFirst,
    isExact: false,
  };
}

/** What is asked anywhere in a list. */
const everything = (entries: readonly AccessRecord[]): string[] =>
  entries.flatMap(({ controls }) => controls).filter((control) => control !== open);
