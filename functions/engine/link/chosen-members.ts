import type { FileArtefact } from "../artefact.ts";
import { chosenMember } from "../interpret/calls/handover.ts";
import type { Target } from "./modules.ts";

/** What of a table may be chosen; further entries are variants of one another. */
const membersMax = 12;
/** A table that a file hands on of another is found, and one of tables of tables is not: each may have as many members. */
const handedMax = 2;

interface Names {
  /** The file that a path means, and what is named in it. */
  file(from: string, target: string): { artefact: FileArtefact; member: string } | null;
  /** Where the names lead that a file hands on. */
  onward(artefact: FileArtefact, member: string): string[];
  find(from: string, target: string, aliases: number): Target[];
}

/**
 * `commands[request.type](request)`: what a table of another file of JavaScript has may be called, whichever is chosen.
 * @param target "./commands.table.[]", or a member of that: "./commands.table.[].run"
 * @param aliases how often names were followed before; a table that is handed on is one more
 */
export function chosenMembers(names: Names, from: string, target: string, aliases: number): Target[] {
  const cut = target.indexOf(chosenMember);
  const table = target.slice(0, cut);
  const further = target.slice(cut + chosenMember.length);
  const { artefact, member = "" } = names.file(from, table) ?? {};
  if (!artefact || aliases > handedMax) return [];
  const { path } = artefact.coverage;
  const keys = keysOf(artefact, member);
  if (keys.length > 0) {
    const within = `${table}.`;
    return keys.slice(0, membersMax).flatMap((key) => names.find(from, `${within}${key}${further}`, aliases + 1));
  }
  const handed = names.onward(artefact, member === "" ? "default" : member).filter((other) => other !== table);
  return handed.slice(0, membersMax).flatMap((other) => {
    const local = /^[\w$]/.test(other) ? keysOf(artefact, other) : [];
    return local.length > 0
      ? local
          .slice(0, membersMax)
          .flatMap((key) => names.find(path, `${own(path)}.${other}.${key}${further}`, aliases + 1))
      : chosenMembers(names, path, `${other}${chosenMember}${further}`, aliases + 1);
  });
}

/** How a file is imported by others of its folder; what is the folder itself, by those beside that. */
function own(path: string): string {
  const [folder, file = ""] = path.split("/").slice(-2);
  const name = file.replace(/\.\w+$/, "");
  return name === "index" ? `../${folder}` : `./${name || folder?.replace(/\.\w+$/, "")}`;
}

/** The names that lie in a table: of a file as a whole, those of its functions. */
function keysOf({ link }: FileArtefact, member: string): string[] {
  const within = member === "" ? "" : `${member}.`;
  const names = [...link.exports, ...link.aliases].flatMap(({ name }) => {
    const key = name.startsWith(within) ? name.slice(within.length) : "";
    return /^[\w$]+$/.test(key) && key !== "default" && key !== "constructor" ? [key] : [];
  });
  return [...new Set(names)];
}
