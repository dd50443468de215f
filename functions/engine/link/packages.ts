import type { FileArtefact } from "../artefact.ts";
import { append } from "../multimap.ts";
import type { Target } from "./modules.ts";

/** An interface that more types than this implement tells too little about which one is meant. */
const implementersMax = 4;
const fieldsMax = 6;

/** The first parts of what the standard library of Go calls its packages; a folder of the project may end alike. */
const library =
  /^(archive|compress|container|crypto|database|debug|encoding|go|hash|html|image|index|io|log|math|mime|net|os|path|regexp|runtime|sync|testing|text|time|unicode)\//;

/** The type that has a method, by its folder and name. */
const typeOf = ({ artefact: { coverage }, exported: { name } }: Target): string =>
  `${coverage.path.slice(0, Math.max(0, coverage.path.lastIndexOf("/")))}\0${name.slice(0, name.indexOf("."))}`;

interface Package {
  files: FileArtefact[];
  /** Functions by their names, methods by type and name. */
  exports: Map<string, Target[]>;
}

/** Finds functions where a package is a folder: its files see each other's names, and others import the folder. */
export class Packages {
  readonly #folders = new Map<string, Package>();
  readonly #methods = new Map<string, Target[]>();
  /** What methods types have, by their folder and name. */
  readonly #types = new Map<string, Set<string>>();
  /** Which folder a module is, by who imports it: each is asked for by every name that is used of it. */
  readonly #imports = new Map<string, string | null>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    for (const artefact of artefacts) {
      const { path, language } = artefact.coverage;
      if (language !== "go") continue;
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      const { files, exports }: Package = this.#folders.get(folder) ?? { files: [], exports: new Map() };
      files.push(artefact);
      this.#folders.set(folder, { files, exports });
      for (const exported of artefact.link.exports) {
        const target = { artefact, exported };
        append(exports, exported.name, target);
        const method = exported.name.slice(exported.name.indexOf(".") + 1);
        if (method === exported.name) continue;
        append(this.#methods, method, target);
        const type = typeOf(target);
        this.#types.set(type, (this.#types.get(type) ?? new Set()).add(method));
      }
    }
  }

  /** `target` is `~Store.Find` for the file's own package, `example.org/shop/store.New.Find` for others. */
  find(from: string, target: string): Target[] {
    const own = from.slice(0, Math.max(0, from.lastIndexOf("/")));
    const start = target.indexOf(".", target.lastIndexOf("/") + 1);
    const folder = target.startsWith("~") ? own : this.#folder(own, target.slice(0, start));
    const names = target.startsWith("~") ? target.slice(1).split(".") : target.slice(start + 1).split(".");
    return folder === null ? [] : this.#named(folder, names, 0);
  }

  /** Whether a type, named as in `find`, has a field that says what somebody may do. */
  hasRights(from: string, type: string): boolean {
    return this.#classes(from, type).some(({ rights }) => rights === true);
  }

  /** The files of the package that a type is of. */
  filesOf(from: string, type: string): readonly FileArtefact[] {
    const own = from.slice(0, Math.max(0, from.lastIndexOf("/")));
    const start = type.indexOf(".", type.lastIndexOf("/") + 1);
    const folder = type.startsWith("~") ? own : this.#folder(own, type.slice(0, start));
    return folder === null ? [] : (this.#folders.get(folder)?.files ?? []);
  }

  #classes(from: string, type: string): FileArtefact["link"]["classes"] {
    const name = type.startsWith("~") ? type.slice(1) : type.slice(type.indexOf(".", type.lastIndexOf("/") + 1) + 1);
    return this.filesOf(from, type).flatMap(({ link }) => link.classes.filter((entry) => entry.name === name));
  }

  /** The folder that an import means: where the module begins is not known, so the longest ending that exists counts. */
  #folder(own: string, module: string): string | null {
    const key = `${own}\0${module}`;
    const known = this.#imports.get(key);
    if (known !== undefined) return known;
    const found = library.test(module) ? null : this.#nearest(own, module);
    this.#imports.set(key, found);
    return found;
  }

  #nearest(own: string, module: string): string | null {
    const parts = module.split("/");
    const above = own.split("/");
    for (let skipped = 0; skipped < parts.length; skipped++) {
      for (let depth = above.length; depth >= 0; depth--) {
        const folder = [...above.slice(0, depth), ...parts.slice(skipped)].filter((part) => part !== "").join("/");
        if (this.#folders.has(folder)) return folder;
      }
    }
    return null;
  }

  #named(folder: string, names: readonly string[], fields: number): Target[] {
    const [first, second, ...others] = names as [string, string | undefined, ...string[]];
    const { files = [], exports } = this.#folders.get(folder) ?? {};
    const exact = exports?.get(second === undefined ? first : `${first}.${second}`) ?? [];
    if (second === undefined || (exact.length > 0 && others.length === 0)) return exact;
    const held = files.flatMap(({ coverage, link }) =>
      link.classes
        .filter(({ name }) => name === first)
        .map(({ asks, fields }) => ({ asks, type: fields?.[second], coverage })),
    );
    const asks = held.find((declared) => declared.asks)?.asks;
    const able = asks && others.length === 0 ? this.#able(second, asks) : [];
    if (able.length > 0) return able.length <= implementersMax ? able : [];
    const field = held.find(({ type }) => type !== undefined);
    if (field?.type && others.length > 0 && fields < fieldsMax)
      return this.#field(field.coverage.path, field.type, others, fields + 1);
    // A field may hold a function that the package declares elsewhere.
    const holds = others.length === 0 && fields <= fieldsMax ? field : undefined;
    const declared = holds?.type ? this.#field(holds.coverage.path, holds.type, [], fieldsMax + 1) : [];
    return declared.length > 0 ? declared : this.#byMethod(folder, names.at(-1) as string, first, held.length > 0);
  }

  #field(path: string, type: string, names: readonly string[], fields: number): Target[] {
    const own = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const target = [type, ...names].join(".");
    const start = target.indexOf(".", target.lastIndexOf("/") + 1);
    if (target.startsWith("~")) return this.#named(own, target.slice(1).split("."), fields);
    const folder = this.#folder(own, target.slice(0, start));
    return folder === null ? [] : this.#named(folder, target.slice(start + 1).split("."), fields);
  }

  /** The methods of that name that types have which have all that an interface asks for. */
  #able(method: string, asks: readonly string[]): Target[] {
    return (this.#methods.get(method) ?? []).filter((target) => {
      const its = this.#types.get(typeOf(target));
      return asks.every((asked) => its?.has(asked));
    });
  }

  /** A method of what a constructor or variable of the folder holds; of an interface, the method of whatever implements it. */
  #byMethod(folder: string, method: string, made: string, anywhere: boolean): Target[] {
    const all = this.#methods.get(method) ?? [];
    const inside = all.filter(({ artefact }) => {
      const { path } = artefact.coverage;
      return path.slice(0, Math.max(0, path.lastIndexOf("/"))) === folder;
    });
    // Constructors are called after what they make.
    const named = inside.filter(({ exported: { name } }) => made === `New${name.slice(0, name.indexOf("."))}`);
    const found = named.length > 0 ? named : inside.length > 0 ? inside : anywhere ? all : [];
    return found.length <= implementersMax ? found : [];
  }
}
