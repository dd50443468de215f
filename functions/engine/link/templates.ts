import type { FileArtefact } from "../artefact.ts";
import { pageName } from "../interpret/views/page.ts";
import { append } from "../multimap.ts";
import { templateFormatOf } from "../templates/template-format.ts";
import type { Escaping } from "../templates/template-target.ts";
import type { Target } from "./modules.ts";

/** Templates that one is made of; a layout with more parts is a circle. */
const partsMax = 50;

/** Finds the templates that code renders by name, with all that they include and extend: those see what they were given. */
export class Templates {
  /** By the last part of their names, without what follows the first dot. */
  readonly #byName = new Map<string, FileArtefact[]>();
  /** The application has told an engine that does not escape by itself to do so. */
  readonly #escapes: boolean;

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    this.#escapes = artefacts.some(({ link }) => link.escapesOutput);
    for (const artefact of artefacts) {
      const { path } = artefact.coverage;
      const isPage = artefact.link.exports.some((exported) => exported.name === pageName);
      if (!isPage && (artefact.link.exports.length === 0 || templateFormatOf(path) === null)) continue;
      const name = stemOf(path);
      append(this.#byName, name, artefact);
    }
  }

  /** @param target as templateTarget has made it */
  find(from: string, target: string): Target[] {
    const [, escaping, ...name] = target.split(":");
    const found = new Set<FileArtefact>();
    const open = this.#named(from, name.join(":"));
    for (let artefact = open.pop(); artefact && found.size < partsMax; artefact = open.pop()) {
      if (found.has(artefact)) continue;
      found.add(artefact);
      for (const include of artefact.link.aliases.filter(({ name }) => name === "include"))
        open.push(...this.#named(artefact.coverage.path, include.target));
    }
    return [...found].flatMap((artefact) =>
      artefact.link.exports
        .filter(({ name }) => name === pageName || name === (this.#escapingOf(artefact) ?? escaping))
        .map((exported) => ({ artefact, exported })),
    );
  }

  /** Smarty escapes nothing unless the application has asked for it somewhere; others are told by what renders them. */
  #escapingOf({ coverage: { path } }: FileArtefact): Escaping | null {
    if (templateFormatOf(path) !== "smarty") return null;
    return this.#escapes ? "escaping" : "plain";
  }

  /**
   * Every framework has its folders; the end of the path is what the name says, and of several the nearest is meant. Of those that are
   * equally near, what lies deeper belongs to an application further down.
   */
  #named(from: string, written: string): FileArtefact[] {
    const name = normal(written, from);
    const known = (this.#byName.get(stemOf(name)) ?? []).filter(({ coverage: { path } }) => endsWith(path, name));
    const near = known.map(({ coverage: { path } }) => sharedFolders(path, from));
    const nearest = known.filter((_, i) => near[i] === Math.max(...near));
    const depths = nearest.map(({ coverage: { path } }) => path.split("/").length);
    return nearest.filter((_, i) => depths[i] === Math.min(...depths)).slice(0, 1);
  }
}

const stemOf = (path: string): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\..*$/, "")
    .replace(/^_/, "");

/** "./a/b.html", "/WEB-INF/b.jsp", "@App/a/b.html.twig" and Laravel's "a.b" all name files. */
function normal(name: string, from: string): string {
  const plain = name.replace(/^@!?\w+\/|^\w+::|^classpath:/, "").replace(/^(\.{0,2}\/)+/, "");
  const dotted = from.endsWith(".php") && !plain.includes("/") && !/\.(twig|html|php|phtml|inc|tpl|latte)$/.test(plain);
  return dotted ? plain.replaceAll(".", "/") : plain;
}

function endsWith(path: string, name: string): boolean {
  const parts = path.split("/");
  const wanted = name.split("/");
  const last = parts.pop() ?? "";
  const file = wanted.pop() ?? "";
  // Without its extension, and in Rails with the underscore of partials.
  const fits = last === file || last === `_${file}` || last.startsWith(`${file}.`) || last.startsWith(`_${file}.`);
  return fits && wanted.every((part, i) => parts[parts.length - wanted.length + i] === part);
}

function sharedFolders(a: string, b: string): number {
  const [one, other] = [a.split("/").slice(0, -1), b.split("/").slice(0, -1)];
  const differs = one.findIndex((part, i) => part !== other[i]);
  return differs < 0 ? one.length : differs;
}
