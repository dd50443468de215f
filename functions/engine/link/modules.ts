import type { ExportedFunction, FileArtefact } from "../artefact.ts";
import { byCodeUnits } from "./order.ts";

/** A function found in another file. */
export interface Target {
  artefact: FileArtefact;
  exported: ExportedFunction;
}

/** Finds the functions that a path of an import can mean. */
export class Modules {
  readonly #byPath = new Map<string, FileArtefact>();
  readonly #implementers = new Map<string, Target["artefact"][]>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    for (const artefact of [...artefacts].sort((a, b) => byCodeUnits(a.coverage.path, b.coverage.path))) {
      this.#byPath.set(artefact.coverage.path.replace(/(\/(index|__init__))?\.\w+$/, ""), artefact);
      for (const base of new Set(artefact.link.classes.flatMap((entry) => entry.bases))) {
        this.#implementers.set(base, [...(this.#implementers.get(base) ?? []), artefact]);
      }
    }
  }

  /** `target` is what the file at `from` calls, e.g. "./db.find"; the file's part ends at some dot. */
  find(from: string, target: string): Target[] {
    const { relative, names } = split(target);
    for (let files = names.length - 1; files >= (relative ? 0 : 1); files--) {
      const artefact = this.#file(from, relative, names.slice(0, files));
      const member = names.slice(files).join(".");
      if (artefact) return this.#in(artefact, names[files - 1] ?? "", member);
    }
    return [];
  }

  /** The function itself, a method of the file's only class that has it, or what implements an interface of that name. */
  #in(artefact: FileArtefact, file: string, member: string): Target[] {
    const method = `.${member.slice(member.lastIndexOf(".") + 1)}`;
    const exact = artefact.link.exports.find((exported) => exported.name === member);
    const found = exact ? [exact] : artefact.link.exports.filter((exported) => exported.name.endsWith(method));
    if (found.length === 1) return found.map((exported) => ({ artefact, exported }));
    const owner = member.includes(".") ? (member.split(".")[0] as string) : file;
    return (this.#implementers.get(owner) ?? []).flatMap((implementer) =>
      implementer.link.exports
        .filter((exported) => exported.name.endsWith(method))
        .map((exported) => ({ artefact: implementer, exported })),
    );
  }

  #file(from: string, relative: string, names: readonly string[]): FileArtefact | undefined {
    const folder = from.split("/").slice(0, -1);
    if (relative.includes("/")) {
      // What follows the last slash of a JavaScript path is dotted too: "./user.service".
      return (
        this.#byPath.get([...resolve(folder, relative), ...(names.length > 0 ? [names.join(".")] : [])].join("/")) ??
        this.#byPath.get([...resolve(folder, relative), ...names].join("/"))
      );
    }
    if (relative)
      return this.#byPath.get([...folder.slice(0, folder.length - relative.length + 1), ...names].join("/"));
    // An absolute import starts at some folder above: the nearest one wins.
    for (let depth = folder.length; depth >= 0; depth--) {
      const found = this.#byPath.get([...folder.slice(0, depth), ...names].join("/"));
      if (found) return found;
    }
    return undefined;
  }
}

/** "./a/b.find" is relative "./a/" with the names b, find; "..db.find" is relative ".." with db, find. */
function split(target: string): { relative: string; names: string[] } {
  const relative = target.match(/^\.{1,2}\/(.*\/)?|^\.+/)?.[0] ?? "";
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
