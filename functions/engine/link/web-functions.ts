import type { FileArtefact } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { pageName } from "../interpret/views/page.ts";
import { append } from "../multimap.ts";
import { includes, isOneOfFolder } from "../web/page-route.ts";
import { bindsFilters, type FunctionRecord, itself, type Reference, type WebPlace } from "../web/web-record.ts";
import type { Modules } from "./modules.ts";

/** How many files a control may lie away from the handler. */
const crossingsMax = 4;
/** What is done further away is done to something else, as a rule. */
const effectsMax = 1;
const reachedMax = 60;

/** What a handler comes to, with everything it calls. */
export interface Reached {
  controls: ReadonlySet<string>;
  effects: ReadonlySet<string>;
  /** Where the effects are done, as far as their places count. */
  places: readonly PlaceInFile[];
  /** Some file of the project that it refers to is not among those scanned. */
  unknown: boolean;
}

export interface PlaceInFile {
  artefact: FileArtefact;
  place: WebPlace;
}

interface Found {
  artefact: FileArtefact;
  record: FunctionRecord;
}

/** Finds what references of web records mean, and what the functions meant do. */
export class WebFunctions {
  readonly #modules: Modules;
  readonly #files: readonly FileArtefact[];
  readonly #byName = new Map<FileArtefact, Map<string, FunctionRecord[]>>();
  readonly #reached = new Map<string, Reached>();
  /** What references mean, by the file and the reference: many routes come by the same helpers. */
  readonly #meant = new Map<string, Found[] | null>();
  #methodsOfGo: Map<string, Found[]> | null = null;
  readonly #byLanguage = new Map<string, Map<string, Found[]>>();
  #byPath: Map<string, Found[]> | null = null;
  #byIncluded: Map<string, Found[]> | null = null;
  #includingAny: readonly Found[] | null = null;
  #bound: Map<string, Found[]> | null = null;

  constructor(modules: Modules, files: readonly FileArtefact[]) {
    this.#modules = modules;
    this.#files = files;
  }

  /** What the function, or class with all its methods, comes to. */
  reached(from: FileArtefact, reference: Reference): Reached {
    const key = `${from.coverage.path}\0${reference}`;
    const known = this.#reached.get(key);
    if (known) return known;
    const controls = new Set<string>();
    const effects = new Set<string>();
    const places: PlaceInFile[] = [];
    let unknown = false;
    const seen = new Set<string>();
    const open = [{ from, reference, depth: 0, isFront: false }];
    for (let next = open.pop(); next && seen.size < reachedMax; next = open.pop()) {
      const { from: file, reference: wanted, depth, isFront } = next;
      const name = `${file.coverage.path}\0${wanted}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const found = this.#known(name, file, wanted);
      if (!found) unknown ||= depth === 0 && isOfProject(wanted);
      for (const { artefact, record } of found ?? []) {
        for (const control of record.controls) controls.add(control);
        if (record.controls.includes(bindsFilters))
          for (const filter of this.#boundTo(record.name))
            open.push({ from: filter.artefact, reference: `#${filter.record.name}`, depth: depth + 1, isFront: true });
        if (depth <= effectsMax && !isFront) {
          for (const effect of record.effects) effects.add(effect);
          places.push(...(record.places ?? []).map((place) => ({ artefact, place })));
        }
        if (depth < crossingsMax)
          for (const [references, inFront] of [
            [record.calls, isFront],
            [record.fronts ?? [], true],
          ] as const)
            for (const call of references)
              if (!isOneOfFolder(call))
                open.push({ from: artefact, reference: call, depth: depth + 1, isFront: inFront });
      }
    }
    const result = { controls, effects, places, unknown };
    this.#reached.set(key, result);
    return result;
  }

  #known(key: string, from: FileArtefact, reference: Reference): Found[] | null {
    const known = this.#meant.get(key);
    if (known !== undefined) return known;
    const found = this.#find(from, reference);
    this.#meant.set(key, found);
    return found;
  }

  /** Null where the file meant is not known; empty where its function does nothing worth a record. */
  #find(from: FileArtefact, reference: Reference): Found[] | null {
    if (reference.startsWith("#")) return this.#named(from, reference.slice(1).replace(/^(this|self)\./, ""));
    if (reference.startsWith(includes)) return this.#included(from, reference.slice(includes.length));
    if (from.coverage.language === "php") return this.#ofAnyFile(reference);
    if (from.coverage.language === "ruby" || from.coverage.language === "csharp")
      return this.#inClass(from.coverage.language, reference);
    if (from.coverage.language === "go") return this.#ofPackage(from, reference);
    const file = this.#modules.file(from.coverage.path, reference);
    if (!file) return null;
    // A file of Java is its class, and who refers to that means what it is marked with.
    const whole = /^(java|kotlin)$/.test(from.coverage.language) ? `${lastSegment(reference)}${itself}` : "default";
    const direct = this.#named(file.artefact, file.member || whole);
    if (direct.length > 0) return direct;
    // A member of an instance or of a re-export: the modules know more about classes and aliases.
    return this.#modules
      .find(from.coverage.path, reference)
      .flatMap(({ artefact, exported }) => this.#named(artefact, exported.name));
  }

  /** The classes that carry an annotation, of files that have no routes, and that can refuse. */
  #boundTo(annotation: string): readonly Found[] {
    if (!this.#bound) {
      this.#bound = new Map();
      const filters = this.#files.filter(({ link }) => link.web?.routes.length === 0);
      for (const artefact of filters)
        for (const record of artefact.link.web?.functions ?? []) {
          const carried = record.name.includes(".") ? [] : (record.fronts ?? []);
          const named = `${record.name}.`;
          const isRefusing = this.#named(artefact, record.name).some(
            ({ record: { name, effects } }) => name.startsWith(named) && effects.includes("refuses"),
          );
          if (isRefusing) for (const name of carried) append(this.#bound, lastSegment(name), { artefact, record });
        }
    }
    return this.#bound.get(annotation) ?? [];
  }

  /** The page that a path means, or the pages of a folder, looked for from the folder of the file upwards. */
  #included(from: FileArtefact, path: string): Found[] {
    const folders = from.coverage.path.split("/").slice(0, -1);
    for (let depth = folders.length; depth >= 0; depth--) {
      const found = this.#pages().get([...folders.slice(0, depth), path].join("/"));
      if (found) return found;
    }
    return [];
  }

  /** What a page lies behind where it is asked for through the files that include it. */
  includers(page: FileArtefact): ReadonlySet<string> {
    const controls = new Set<string>();
    const seen = new Set([page]);
    let inner = [page];
    for (let depth = 0; depth < crossingsMax && inner.length > 0; depth++) {
      const known = inner.flatMap(({ coverage }) => this.#including().get(coverage.path) ?? []);
      const around = depth === 0 && known.length === 0 && bringsNothing(page) ? this.#byAnyName() : known;
      for (const { artefact, record } of around)
        for (const control of this.reached(artefact, `#${record.name}`).controls) controls.add(control);
      inner = around.map(({ artefact }) => artefact).filter((artefact) => !seen.has(artefact));
      for (const artefact of inner) seen.add(artefact);
    }
    return controls;
  }

  /** The pages that include files of which the request gives the name. */
  #byAnyName(): readonly Found[] {
    this.#includingAny ??= this.#files
      .filter(({ link }) => link.web?.application.includes("includes-by-name"))
      .slice(0, frontControllersMax)
      .flatMap((artefact) => this.#named(artefact, pageName));
    return this.#includingAny;
  }

  #including(): Map<string, Found[]> {
    if (this.#byIncluded) return this.#byIncluded;
    const found = new Map<string, Found[]>();
    for (const artefact of this.#files)
      for (const record of artefact.link.web?.functions ?? [])
        for (const front of record.fronts ?? []) {
          const pages = front.startsWith(includes) ? this.#included(artefact, front.slice(includes.length)) : [];
          for (const { coverage } of pages.map((page) => page.artefact))
            append(found, coverage.path, { artefact, record });
        }
    this.#byIncluded = found;
    return found;
  }

  /** Pages by their paths, and all of a folder by its path with a star. */
  #pages(): Map<string, Found[]> {
    if (this.#byPath) return this.#byPath;
    const found = new Map<string, Found[]>();
    for (const artefact of this.#files)
      for (const record of (artefact.link.web?.functions ?? []).filter(({ name }) => name === pageName)) {
        const { path } = artefact.coverage;
        const folder = `${path.slice(0, path.lastIndexOf("/") + 1)}*`;
        found.set(path, [{ artefact, record }]);
        append(found, folder, { artefact, record });
      }
    this.#byPath = found;
    return found;
  }

  /** A class by itself is what it extends and what making one does. */
  #ofAnyFile(reference: Reference): Found[] {
    const name = reference.replace(itself, "");
    const found = this.#global("php").get(name) ?? [];
    const isItself = ({ record }: Found) => record.name === name || record.name === `${name}.constructor`;
    return name === reference ? found : found.filter(isItself);
  }

  /** A class by itself, a method by its class, or by its name alone where nothing tells the class: whatever namespaces are around. */
  #inClass(language: string, reference: Reference): Found[] {
    const name = reference.replace(itself, "").split(".").slice(-2).join(".");
    const last = name.slice(name.lastIndexOf(".") + 1);
    const named = this.#global(language);
    const exact = (named.get(name) ?? named.get(last) ?? []).filter(({ record }) => [name, last].includes(record.name));
    return exact.length > 0 || name !== last ? exact : (named.get(`*.${name}`) ?? []);
  }

  /** The functions and classes of a language whose names are the same in all files: by name, methods by their class, and by `*.` and their name. */
  #global(language: string): Map<string, Found[]> {
    const known = this.#byLanguage.get(language);
    if (known) return known;
    const found = new Map<string, Found[]>();
    for (const artefact of this.#files)
      for (const record of artefact.coverage.language === language ? (artefact.link.web?.functions ?? []) : []) {
        const dot = record.name.lastIndexOf(".");
        const names = dot < 0 ? [record.name] : [record.name, record.name.slice(0, dot), `*${record.name.slice(dot)}`];
        for (const name of names) append(found, name, { artefact, record });
      }
    this.#byLanguage.set(language, found);
    return found;
  }

  /** Functions of Go are found by their package; methods of values that nothing tells of, by their name if only one can be meant. */
  #ofPackage(from: FileArtefact, reference: Reference): Found[] | null {
    for (const target of [reference, `~${reference}`, `${reference}.ServeHTTP`]) {
      const found = this.#modules
        .find(from.coverage.path, target)
        .flatMap(({ artefact, exported }) => this.#named(artefact, exported.name));
      if (found.length > 0) return found;
    }
    const method = reference.slice(reference.lastIndexOf(".") + 1);
    const named = this.#methods().get(method) ?? [];
    return named.length === 1 ? named : null;
  }

  #methods(): Map<string, Found[]> {
    if (this.#methodsOfGo) return this.#methodsOfGo;
    const methods = new Map<string, Found[]>();
    for (const artefact of this.#files)
      for (const record of artefact.coverage.language === "go" ? (artefact.link.web?.functions ?? []) : []) {
        const method = record.name.slice(record.name.lastIndexOf(".") + 1);
        append(methods, method, { artefact, record });
      }
    this.#methodsOfGo = methods;
    return methods;
  }

  #named(artefact: FileArtefact, name: string): Found[] {
    const names = this.#namesOf(artefact);
    if (name.endsWith(itself))
      return (names.get(name.slice(0, -itself.length)) ?? []).map((record) => ({ artefact, record }));
    const records = names.get(name) ?? names.get(`${name}.*`);
    const methods = names.get(`${name}.*`) ?? [];
    const all = [...new Set([...(records ?? []), ...methods])];
    const isReading = methods.length > 0 && artefact.coverage.language === "python" && isReadOnly(methods);
    return all.map((record) => ({ artefact, record: isReading ? reading(record) : record }));
  }

  /** The functions of a file by name, and by the class that they are methods of; the last part of a name where it is the only one. */
  #namesOf(artefact: FileArtefact): Map<string, FunctionRecord[]> {
    const known = this.#byName.get(artefact);
    if (known) return known;
    const names = new Map<string, FunctionRecord[]>();
    const add = (name: string, record: FunctionRecord) => append(names, name, record);
    for (const record of artefact.link.web?.functions ?? []) {
      add(record.name, record);
      const dot = record.name.lastIndexOf(".");
      if (dot > 0) add(`${record.name.slice(0, dot)}.*`, record);
    }
    this.#byName.set(artefact, names);
    return names;
  }
}

/** Of pages that include others by name; an application has one, or one for each part. */
const frontControllersMax = 20;

/** Whether a class that answers to requests does so to those that read, and to no others, by its own methods. */
const isReadOnly = (methods: readonly FunctionRecord[]): boolean =>
  methods.some(({ name }) => name.endsWith(".get")) && !methods.some(({ name }) => answersWriting.test(name));

const answersWriting =
  /\.(post|put|patch|delete|dispatch|run_?view|form_(in)?valid|(a|perform_|partial_)?(create|update|destroy)|handle\w*|process\w*)$/;

/** What is done while something is read, such as counting, changes nothing that the caller asks to be changed. */
const reading = (record: FunctionRecord): FunctionRecord => ({
  ...record,
  effects: record.effects.filter((effect) => effect !== "writes"),
});

/** A page that includes nothing is itself included: it could not even reach the database by itself. */
const bringsNothing = ({ link }: FileArtefact): boolean =>
  (link.web?.functions ?? []).every(
    ({ name, fronts }) => name !== pageName || !fronts?.some((front) => front.startsWith(includes)),
  );

/** Files that are written with a relative path are part of the project. */
const isOfProject = (reference: Reference): boolean => /^(\.|@\/|~\/)/.test(reference);
