import { RE2JS } from "re2js";
import type { FileArtefact } from "../artefact.ts";
import { pageName } from "../interpret/views/page.ts";
import { append } from "../multimap.ts";
import {
  askedElsewhere,
  askedInSettings,
  askedOfMethods,
  listedPaths,
  type MountRecord,
  ownPath,
  type RouteRecord,
} from "../web/web-record.ts";
import type { Modules } from "./modules.ts";
import { PathAccess } from "./path-access.ts";
import { homeOfCode, inTestCode } from "./path-role.ts";
import { type PlaceInFile, WebFunctions } from "./web-functions.ts";

/** Routers in routers in routers. */
const nestingMax = 5;

/** A route with all that is known about it. */
export interface Route {
  artefact: FileArtefact;
  record: RouteRecord;
  controls: ReadonlySet<string>;
  effects: ReadonlySet<string>;
  /** With the paths of all routers around it. */
  wholePath: string | null;
  /** Where its handler does what is placed. */
  places: readonly PlaceInFile[];
  /** Something in front of it is not known, so that nothing can be said to be missing. */
  unknown: boolean;
}

/** A router of a file, by its name there, in a router of another. */
interface Mounted {
  artefact: FileArtefact;
  mount: MountRecord;
  member: string;
}

/** The routes of all files, each with the controls in force: its own, its handler's, its routers' and the application's. */
export class WebRoutes {
  readonly all: Route[];
  readonly #modules: Modules;
  readonly #functions: WebFunctions;
  readonly #files: readonly FileArtefact[];
  /** Mounts that put a file's router into another, by the path of that file. */
  readonly #into = new Map<string, Mounted[]>();
  /** Mounts on a router that was imported, by the file and name that it has at home. */
  readonly #abroad = new Map<string, Mounted[]>();
  #packages: Map<string, FileArtefact[]> | null = null;
  #applications: Map<string, ReadonlySet<string>> | null = null;
  /** By language, what each file puts in front of everything. */
  #roots: Map<string, { file: FileArtefact; controls: string[] }[]> | null = null;
  readonly #outside = new Map<FileArtefact, string[]>();
  #accesses: Map<string, PathAccess> | null = null;

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[], modules: Modules) {
    this.#modules = modules;
    this.#files = artefacts.filter(({ link }) => link.web);
    this.#functions = new WebFunctions(modules, this.#files);
    for (const artefact of this.#files)
      for (const mount of artefact.link.web?.mounts ?? []) this.#index(artefact, mount);
    const home = homeOfCode(artefacts);
    this.all = this.#files.flatMap((artefact) =>
      inTestCode(artefact.coverage.path, home)
        ? []
        : (artefact.link.web?.routes ?? []).map((record) => this.#route(artefact, record)),
    );
  }

  #index(artefact: FileArtefact, mount: MountRecord): void {
    for (const use of mount.uses)
      for (const found of this.#routers(artefact, use)) {
        const { path } = found.artefact.coverage;
        append(this.#into, path, { artefact, mount, member: found.member });
      }
    const target = artefact.link.aliases.find(({ name }) => name === mount.router)?.target;
    const home = target === undefined ? null : this.#modules.file(artefact.coverage.path, target);
    if (!home || home.artefact === artefact) return;
    const key = routerKey(home.artefact, home.member);
    append(this.#abroad, key, { artefact, mount, member: home.member });
  }

  /** The routers of a file that something used may be: its own, or by what a function takes or makes. */
  #routers(artefact: FileArtefact, use: string): { artefact: FileArtefact; member: string }[] {
    if (use.startsWith("#")) return [{ artefact, member: use.slice(1) }];
    const { path, language } = artefact.coverage;
    const [, called, position] = use.match(handed) ?? [];
    if (called !== undefined)
      return this.#modules.find(path, called).flatMap(({ artefact, exported: { name, parameters } }) => {
        const parameter = parameters[Number(position)];
        if (language !== "go") return parameter === undefined ? [] : [{ artefact, member: parameter }];
        return [{ artefact, member: position === "" ? `${name}:*` : `${name}(${parameter})` }];
      });
    if (language === "go") return [];
    const found = this.#modules.file(path, use);
    return found ? [found] : [];
  }

  #route(artefact: FileArtefact, found: RouteRecord): Route {
    const record = { ...found, path: pathOf(found, artefact.coverage.path) };
    const controls = new Set(record.controls);
    const effects = new Set<string>();
    const places: PlaceInFile[] = [];
    let unknown = false;
    for (const handler of record.handlers) {
      const reached = this.#functions.reached(artefact, handler);
      for (const control of reached.controls) controls.add(control);
      // What stands before the handler does not do its work.
      if (handler.replace(/^#/, "") === record.handler) {
        for (const effect of reached.effects) effects.add(effect);
        places.push(...reached.places);
      }
      unknown ||= reached.unknown;
    }
    for (const control of this.#inFront(artefact, record, record.order)) controls.add(control);
    if (found.handler === pageName) for (const control of this.#functions.includers(artefact)) controls.add(control);
    for (const control of this.#application(worldOf(artefact.coverage.language))) controls.add(control);
    const wholePath = this.#wholePath(artefact, record);
    for (const control of this.#byPath(artefact, record.isPartial ? null : wholePath, record.methods))
      controls.add(control);
    if (controls.has(askedInSettings) && !controls.has(listedPaths))
      for (const control of ["authentication", "roles-by-path"]) controls.add(control);
    if (controls.has(askedOfMethods) && !this.#pathAccess(artefact)?.hasLists) controls.add(askedElsewhere);
    return { artefact, record, controls, effects, wholePath, places, unknown };
  }

  #byPath(artefact: FileArtefact, path: string | null, methods: readonly string[]): readonly string[] {
    return this.#pathAccess(artefact)?.of(artefact, path, methods).controls ?? [];
  }

  #pathAccess(artefact: FileArtefact): PathAccess | undefined {
    this.#accesses ??= new Map([...this.#byWorld()].map(([of, files]) => [of, new PathAccess(files, this.#functions)]));
    return this.#accesses.get(worldOf(artefact.coverage.language));
  }

  #wholePath(artefact: FileArtefact, { router, path }: Pick<RouteRecord, "router" | "path">): string | null {
    let [file, inner, whole] = [artefact, router, path];
    for (let n = 0; n < nestingMax && inner !== null; n++) {
      const [parent] = this.#parents(file, inner);
      if (!parent || (parent.artefact === file && parent.mount.router === inner)) break;
      whole = joinPaths(parent.mount.path, whole);
      [file, inner] = [parent.artefact, parent.mount.router];
    }
    return whole;
  }

  /** What the routers around a route put in front of it. */
  #inFront(
    artefact: FileArtefact,
    { router, path }: Pick<RouteRecord, "router" | "path">,
    order: number,
    seen: ReadonlySet<string> = new Set(),
  ): string[] {
    if (router === null || seen.size >= nestingMax) return [];
    const key = routerKey(artefact, router);
    if (seen.has(key)) return [];
    const around = new Set([...seen, key]);
    const own = this.#sharing(artefact, router).flatMap((file) =>
      (file.link.web?.mounts ?? [])
        .filter((mount) => mount.router === router && !mount.alone && covers(mount.path, path))
        .filter((mount) => file !== artefact || mount.order < order)
        .flatMap((mount) => this.#of(file, mount)),
    );
    const abroad = (this.#abroad.get(key) ?? [])
      .filter(({ mount }) => !mount.alone && covers(mount.path, path))
      .flatMap(({ artefact: file, mount }) => this.#of(file, mount));
    const parents = this.#parents(artefact, router);
    const above = parents.flatMap(({ artefact: parent, mount }) => [
      ...mount.controls,
      ...this.#uses(parent, mount, artefact),
      ...this.#inFront(parent, { router: mount.router, path: joinPaths(mount.path, path) }, mount.order, around),
    ]);
    // A router that nobody is seen to mount gets into the application by a way that is not followed.
    const isRoot = (artefact.link.web?.mounts ?? []).some((mount) => mount.router === router && mount.made);
    const isMounted = parents.some((parent) => !isHanded(parent));
    const isInner = seen.size > 0 && artefact.coverage.language === "go";
    const anywhere = isMounted || isInner || isRoot ? [] : this.#anywhere(artefact);
    return [...own, ...abroad, ...above, ...anywhere];
  }

  /** The files that mean the same router by a name: variables and fields of Go belong to the package. */
  #sharing(artefact: FileArtefact, router: string): readonly FileArtefact[] {
    const { language, path } = artefact.coverage;
    if (language !== "go" || /[(:]/.test(router)) return [artefact];
    this.#packages ??= Map.groupBy(
      this.#files.filter(({ coverage }) => coverage.language === "go"),
      ({ coverage }) => folderOf(coverage.path),
    );
    return this.#packages.get(folderOf(path)) ?? [artefact];
  }

  /** What holds for the whole application, by what some file of its language says. */
  #application(world: string): ReadonlySet<string> {
    this.#applications ??= new Map(
      [...this.#byWorld()].map(([of, files]) => [
        of,
        new Set(files.flatMap(({ link }) => link.web?.application ?? [])),
      ]),
    );
    return this.#applications.get(world) ?? new Set();
  }

  /** What the routers of other files that are in no other router put in front of everything. */
  #anywhere(artefact: FileArtefact): string[] {
    const known = this.#outside.get(artefact);
    if (known) return known;
    this.#roots ??= new Map(
      [...this.#byWorld()].map(([world, files]) => [
        world,
        files.map((file) => ({ file, controls: this.#rootsOf(file).flatMap((mount) => this.#of(file, mount)) })),
      ]),
    );
    const roots = this.#roots.get(worldOf(artefact.coverage.language)) ?? [];
    const found = [...new Set(roots.flatMap(({ file, controls }) => (file === artefact ? [] : controls)))];
    this.#outside.set(artefact, found);
    return found;
  }

  #rootsOf(file: FileArtefact): MountRecord[] {
    return (file.link.web?.mounts ?? []).filter(
      ({ path, router }) =>
        // A group of Go is made in one file and handed to another.
        file.coverage.language === "go" ||
        ((path === null || isComputed(path)) && this.#parents(file, router).every(isHanded)),
    );
  }

  #byWorld(): Map<string, FileArtefact[]> {
    return Map.groupBy(this.#files, ({ coverage, link }) => worldOf(link.web?.of ?? coverage.language));
  }

  #parents(artefact: FileArtefact, router: string): Mounted[] {
    return this.#sharing(artefact, router).flatMap((file) =>
      (this.#into.get(file.coverage.path) ?? []).filter(({ artefact: parent, member }) =>
        parent === artefact ? member === router || isLocal(member, router) : isMember(member, router),
      ),
    );
  }

  #of(artefact: FileArtefact, mount: MountRecord): string[] {
    return [...mount.controls, ...(mount.last ?? []), ...this.#uses(artefact, mount, null)];
  }

  /** A function in front of others protects them only if it can refuse; many only look up who is there. */
  #uses(artefact: FileArtefact, { uses }: MountRecord, except: FileArtefact | null): string[] {
    return uses.flatMap((use) => {
      if (use.endsWith(")")) return [];
      if (except && this.#modules.file(artefact.coverage.path, use)?.artefact === except) return [];
      const { controls, effects } = this.#functions.reached(artefact, use);
      return effects.has("refuses") ? [...controls] : [];
    });
  }
}

/** A router that a function is given or makes: `~orders.Register(0)`, `~orders.New()`. */
const handed = /^(.*)\((\d*)\)$/;

/** A function of JavaScript is mostly given the application, which other functions are given too. */
const isHanded = ({ artefact, mount }: Mounted): boolean =>
  artefact.coverage.language !== "go" && mount.uses.every((use) => handed.test(use));

const routerKey = ({ coverage }: FileArtefact, router: string): string => `${coverage.path}\0${router}`;

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** A router that a function makes for whoever calls it. */
const isLocal = (member: string, router: string): boolean =>
  member.endsWith(":*") && router.startsWith(member.slice(0, -1));

/** The path as written, or as the place of the file tells. */
function pathOf({ path, pathIn, handler }: RouteRecord, from: string): string | null {
  if (path === ownPath) return `/${from}`;
  const folder = pathIn === undefined ? null : RE2JS.compile(pathIn).matcher(from);
  return folder?.find() ? `/${folder.group(1)}/${handler.slice(handler.lastIndexOf(".") + 1)}` : path;
}

/** `/`, or nothing but parts that are not known: "/:" stands for one. */
const isComputed = (path: string): boolean => /^[/:]+$/.test(path);

const isMember = (member: string, router: string): boolean =>
  isLocal(member, router) ||
  member === "" ||
  member === "default" ||
  member === router ||
  member.startsWith(`${router}.`) ||
  isField(member, router);

/** `app.use("/orders", new OrderRoutes().router)`: a router that a class keeps in a field. */
const isField = (member: string, router: string): boolean =>
  router.startsWith("this.") && `.${member}`.endsWith(router.slice("this".length));

/** TypeScript and JavaScript run together, as Kotlin and Java do. */
export const worldOf = (language: string): string => worlds.get(language) ?? language;

const worlds = new Map([
  ["typescript", "javascript"],
  ["tsx", "javascript"],
  ["kotlin", "java"],
]);

/** Whether something mounted at a path stands in front of a route; what is not known may. */
function covers(mounted: string | null, path: string | null): boolean {
  if (mounted === null || path === null || mounted === "/" || mounted === "*") return true;
  const prefix = mounted.replace(/[/*]+$/, "");
  return path === prefix || path.startsWith(`${prefix}/`) || prefix.includes(":");
}

const joinPaths = (before: string | null, path: string | null): string | null =>
  path === null ? null : `${before ?? ""}/${path}`.replace(/\/+/g, "/");
