import type { FileArtefact } from "../artefact.ts";
import { languageOf } from "../inventory/language.ts";
import { append } from "../multimap.ts";

/** A file that an import may mean. */
export interface MeantFile {
  artefact: FileArtefact;
  file: string;
  member: string;
}

/** Finds the files that a path of an import can mean. */
export class SourceFiles {
  readonly #byPath = new Map<string, FileArtefact>();
  /** The same by language, of stems that files of several have: `checks.py` beside `checks.js`. */
  readonly #twins = new Map<string, Map<string, FileArtefact>>();
  /** How the paths end that some file has: of the many ways to cut a dotted name most end with what is no file at all. */
  readonly #stems = new Set<string>();
  /** The files of Java by the class that they are named after, those of Kotlin by each that they have; with its folder. */
  readonly #classes = new Map<string, { artefact: FileArtefact; place: string }[]>();
  /** Packages of the same repository by what others import them as: the paths that such a name may mean, without endings. */
  readonly #workspace = new Map<string, string[]>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    for (const artefact of artefacts) {
      const { path } = artefact.coverage;
      for (const name of classNames(artefact))
        append(this.#classes, name, { artefact, place: `${path.slice(0, path.lastIndexOf("/") + 1)}${name}` });
      // A page or a settings file may be called like the code beside it, and no import means it.
      if (languageOf(path).grammar) {
        const stem = stemOf(path);
        this.#add(stem, artefact);
        this.#stems.add(stem.slice(stem.lastIndexOf("/") + 1));
      }
      if (artefact.link.package) this.#workspace.set(artefact.link.package.name, beginnings(artefact));
    }
  }

  #add(stem: string, artefact: FileArtefact): void {
    const before = this.#byPath.get(stem);
    this.#byPath.set(stem, artefact);
    const { path } = artefact.coverage;
    if (!before || worldOf(before.coverage.path) === worldOf(path)) return;
    const twins = this.#twins.get(stem) ?? new Map([[worldOf(before.coverage.path), before]]);
    this.#twins.set(stem, twins.set(worldOf(path), artefact));
  }

  /** The file at a path, of several the one in the language of who asks. */
  #at(from: string, stem: string): FileArtefact | undefined {
    const twins = this.#twins.size > 0 ? this.#twins.get(stem) : undefined;
    return twins?.get(worldOf(from)) ?? this.#byPath.get(stem);
  }

  /**
   * The files that a path of an import may mean, by the name that each goes by there, and what is named in them; without a name a file as a
   * whole. The most names lead to the first.
   */
  *meant(from: string, target: string): Generator<MeantFile, undefined> {
    const { relative, names } = split(target);
    const folder = from.split("/").slice(0, -1);
    for (let files = names.length; files >= (relative ? 0 : 1); files--) {
      const artefact = this.#file(from, folder, relative, names.slice(0, files));
      if (artefact) yield { artefact, file: names[files - 1] ?? "", member: names.slice(files).join(".") };
    }
  }

  /** The code at a path, whatever it ends in. */
  at(path: string): FileArtefact | undefined {
    return this.#byPath.get(stemOf(path));
  }

  #file(from: string, folder: readonly string[], relative: string, names: readonly string[]): FileArtefact | undefined {
    if (/^([@~]\/|#)/.test(relative)) return this.#aliased(from, folder, names);
    if (relative.includes("/")) return this.#below(from, resolve(folder, relative), this.#forms(names));
    if (relative) return this.#at(from, [...folder.slice(0, folder.length - relative.length + 1), ...names].join("/"));
    // "src/db/users": slashes separate folders, and what follows the last one is dotted too.
    if (names.some((name) => name.includes("/")))
      return this.#aliased(from, folder, names) ?? this.#ofPackage(from, names.join("."));
    // An absolute import starts at some folder above: the nearest one wins.
    for (let depth = this.#stems.has(names.at(-1) as string) ? folder.length : -1; depth >= 0; depth--) {
      const found = this.#at(from, [...folder.slice(0, depth), ...names].join("/"));
      if (found && !(found.coverage.path === from && from.endsWith(".py"))) return found;
    }
    return /\.(java|kt)$/.test(from) ? this.#class(names) : this.#ofPackage(from, names.join("."));
  }

  /** "@shop/tools", or a file below it, where a manifest of the repository has that name. */
  #ofPackage(from: string, name: string): FileArtefact | undefined {
    if (this.#workspace.size === 0) return undefined;
    const [, owner = name, below = ""] = name.match(/^(@[^/]+\/[^/]+|[^@/][^/]*)\/(.+)$/) ?? [];
    const paths = this.#workspace.get(owner) ?? [];
    // Of the beginnings the last is the package's own folder.
    const asked = below === "" ? paths : ["", "src/", "lib/"].map((root) => `${paths.at(-1)}${root}${below}`);
    return asked.map((path) => this.#at(from, path.replace(/\/$/, ""))).find((artefact) => artefact !== undefined);
  }

  /**
   * A class of another module or of the other language, whose sources begin at a folder of their own; one without its package if only one can
   * be meant.
   */
  #class(names: readonly string[]): FileArtefact | undefined {
    const ending = `/${names.join("/")}`;
    const found = (this.#classes.get(names.at(-1) ?? "") ?? []).filter(({ place }) => place.endsWith(ending));
    return names.length > 1 || found.length === 1 ? found[0]?.artefact : undefined;
  }

  /** "@/db/users" and the like mean a source folder of the project or of the package the file is in: the nearest one that has it. */
  #aliased(from: string, folder: readonly string[], names: readonly string[]): FileArtefact | undefined {
    const forms = this.#forms(names);
    for (let depth = forms.length > 0 ? folder.length : -1; depth >= 0; depth--) {
      for (const root of ["", "src", "app", "lib"]) {
        const parts = [...folder.slice(0, depth), ...(root ? [root] : [])];
        const found = this.#below(from, parts, forms);
        if (found) return found;
      }
    }
    return undefined;
  }

  #below(from: string, folder: readonly string[], forms: readonly string[]): FileArtefact | undefined {
    for (const form of forms) {
      const found = this.#at(from, [...folder, ...(form ? [form] : [])].join("/"));
      if (found) return found;
    }
    return undefined;
  }

  /** What a file below a folder may be called: what follows the last slash of a JavaScript path is dotted too, "./user.service". */
  #forms(names: readonly string[]): string[] {
    if (names.length === 0) return [""];
    return [...new Set([names.join("."), names.join("/")])].filter((form) =>
      this.#stems.has(form.slice(form.lastIndexOf("/") + 1)),
    );
  }
}

/** The names that a file of Java or Kotlin is looked for by: one of Kotlin has as many classes and functions as it likes, none called like it. */
function classNames({ coverage: { path }, link }: FileArtefact): ReadonlySet<string> {
  const [, file, ending] = path.match(/([^/]+)\.(java|kt)$/) ?? [];
  if (!file) return new Set();
  const others = ending === "kt" ? link.exports.map(({ name }) => name.split(".", 1)[0] as string) : [];
  return new Set([file, ...others]);
}

/** Where a package begins: the file that its manifest names, what that is built from, or the index of its folder. */
function beginnings({ coverage: { path }, link }: FileArtefact): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const main = (link.package?.main ?? "").replace(/^\.\//, "").replace(/(\/?index)?(\.[cm]?[jt]sx?)?$/, "");
  return [main, main.replace(/^(dist|build|lib|out)(?=\/|$)/, "src"), "src", ""].map((file) => `${folder}${file}`);
}

/** Files that import each other: those of one language, and JavaScript with TypeScript. */
function worldOf(path: string): string {
  const { name } = languageOf(path);
  return name === "typescript" ? "javascript" : name;
}

/** What imports call a file. */
const stemOf = (path: string): string => path.replace(/(\/(index|__init__))?\.\w+$/, "");

/** "./a/b.find" is relative "./a/" with the names b, find; "..db.find" is relative ".." with db, find. */
function split(target: string): { relative: string; names: string[] } {
  const relative = target.match(/^\.{1,2}\/(.*\/)?|^[@~]\/|^#|^\.+/)?.[0] ?? "";
  const names = target
    .slice(relative.length)
    .split(".")
    .filter((name) => !/^[cm]?[jt]sx?$/.test(name));
  return { relative, names };
}

function resolve(folder: readonly string[], relative: string): string[] {
  const path = [...folder];
  for (const part of relative.split("/")) {
    if (part === "..") path.pop();
    else if (part !== "." && part !== "") path.push(part);
  }
  return path;
}
