import { isUtf8 } from "node:buffer";
import { guessCharset } from "../archive/entry-name.ts";
import { archiveLimits } from "../archive/limits.ts";
import { cleanPath } from "../normalise-path.ts";
import { type Deadline, damaged, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { GitObjects } from "./git-objects.ts";

/** How many entries of a tree are no files of the snapshot. */
export interface LeftOut {
  symbolicLinks: number;
  submodules: number;
  /** Modes that git does not write. */
  specialModes: number;
  /** Files and folders with names that no archive may have: control characters, `\`, a drive, too long, too deep. */
  names: number;
  /** The first paths of all these but links, whose targets are files themselves or none of the repository. Not to be used as paths. */
  readonly paths: string[];
}

export const nothingLeftOut = (): LeftOut => ({
  symbolicLinks: 0,
  submodules: 0,
  specialModes: 0,
  names: 0,
  paths: [],
});

const pathsNoted = 50;

export interface TreeFile {
  /** The bytes that git has; mostly UTF-8, but nobody has to. */
  readonly path: Buffer;
  /** Of its content, which may not have been fetched. */
  readonly oid: string;
}

export interface TreeWalk {
  readonly objects: GitObjects;
  readonly commit: string;
  readonly host: string;
  readonly deadline: Deadline;
  /** Counted up as the walk goes on. */
  readonly leftOut: LeftOut;
}

interface TreeEntry {
  readonly mode: string;
  readonly name: Buffer;
  readonly oid: string;
}

const folderModes = new Set(["40000", "040000"]);
/** The third was written by git before 2005. */
const fileModes = new Set(["100644", "100755", "100664"]);
const linkMode = "120000";
const submoduleMode = "160000";

/**
 * Walks the tree of a commit, folder by folder.
 * @throws SluiceError repository_damaged for trees that git would not write: a name twice, `..`, `.git`, a slash; repository_too_large,
 *   outbound_timeout
 */
export async function* treeFiles(walk: TreeWalk): AsyncGenerator<TreeFile> {
  const { objects, host, leftOut } = walk;
  const hashBytes = walk.commit.length / 2;
  const waiting = [{ path: Buffer.alloc(0), tree: treeOf(await contentOf(objects, walk.commit, "commit"), host) }];
  let visited = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    walk.deadline.check();
    const names = new Set<string>();
    for (const entry of entriesOf(await contentOf(objects, folder.tree, "tree"), hashBytes, host)) {
      if (++visited > gitLimits.entriesVisited) throw tooLarge(host, "entries", gitLimits.entriesVisited);
      checkName(entry.name, names, host);
      const path = Buffer.concat([folder.path, entry.name]);
      const reason = whyLeftOut(entry.mode, path);
      if (reason) {
        leftOut[reason]++;
        if (reason !== "symbolicLinks" && leftOut.paths.length < pathsNoted) leftOut.paths.push(pathText(path));
      } else if (fileModes.has(entry.mode)) yield { path, oid: entry.oid };
      else waiting.push({ path: Buffer.concat([path, slash]), tree: entry.oid });
    }
  }
}

function whyLeftOut(mode: string, path: Buffer): Exclude<keyof LeftOut, "paths"> | null {
  if (mode === linkMode) return "symbolicLinks";
  if (mode === submoduleMode) return "submodules";
  if (!fileModes.has(mode) && !folderModes.has(mode)) return "specialModes";
  return isArchivable(path) ? null : "names";
}

/** A path as a list shows it; what an archive of the file has for its name reads the same. */
export const pathText = (path: Buffer): string => guessCharset(path);

const slash = Buffer.from("/");

async function contentOf(objects: GitObjects, oid: string, type: "commit" | "tree"): Promise<Buffer> {
  return objects.read(objects.find(oid, type));
}

function treeOf(commit: Buffer, host: string): string {
  const [, tree] = /^tree ([0-9a-f]{40}|[0-9a-f]{64})\n/.exec(commit.toString("latin1", 0, 80)) ?? [];
  if (tree === undefined) throw damaged(host, "commit");
  return tree;
}

/** "mode name\0hash", one after the other. */
function* entriesOf(tree: Buffer, hashBytes: number, host: string): Generator<TreeEntry> {
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, at);
    const next = end + 1 + hashBytes;
    if (space < 0 || space - at > 6 || end < space || next > tree.length) throw damaged(host, "tree");
    const mode = tree.toString("latin1", at, space);
    yield { mode, name: tree.subarray(space + 1, end), oid: tree.toString("hex", end + 1, next) };
    at = next;
  }
}

/** Names that git itself never writes and refuses to check out: whoever sends them wants to write where nobody looks. */
function checkName(name: Buffer, seen: Set<string>, host: string): void {
  const text = name.toString("latin1");
  if (/^(\.{0,2}|\.git)$/i.test(text) || text.includes("/") || seen.has(text)) throw damaged(host, "tree");
  seen.add(text);
}

/** The archive puts one folder on top. Paths that would become others when they are cleaned are not what the repository has. */
function isArchivable(path: Buffer): boolean {
  const text = path.toString(isUtf8(path) ? "utf8" : "latin1");
  // In GBK and Latin-1 alike these bytes belong to characters, and not to control characters.
  const cleaned = cleanPath(isUtf8(path) ? text : text.replace(/[\x80-\xff]/g, "_"));
  return (
    "path" in cleaned &&
    cleaned.path.length === text.length &&
    !text.includes("\\") &&
    path.length + topFolder.length <= archiveLimits.nameBytes &&
    text.split("/").length < archiveLimits.depth
  );
}

/** So that a repository with a single folder keeps it: the top folder that all files share is taken off when an archive is read. */
export const topFolder = "repository/";
