import { calledName } from "../../ir/called-name.ts";
import type { Call, Conditional, Expression, Field } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { original } from "./address-parts.ts";
import { isSlash } from "./last-parts.ts";

const common = new Set(["commonpath", "commonprefix"]);

/** `commonpath([base, path])`, also as a `Path` or by a name, to be compared with the base: what it is asked about. */
export function pathsInCommon(frame: Frame, expression: Expression): readonly Expression[] {
  const asked = original(frame, asWritten(original(frame, expression)));
  if (asked.kind !== "call" || asked.callee.kind !== "field" || !common.has(asked.callee.name)) return [];
  const [list] = asked.args;
  return list?.value.kind === "collection" ? list.value.entries.map((entry) => entry.value) : [];
}

/** `Path(place)`, `str(place)`: the same place. */
function asWritten(place: Expression): Expression {
  if (place.kind !== "call" || place.args.length !== 1) return place;
  return isSamePlace.test(calledName(place)) ? (place.args[0]?.value ?? place) : place;
}

const isSamePlace = /^((Pure)?(Posix)?Path|str|fspath)$/;

const divides = /^([sS]plit|explode|FieldsFunc)$/;

/**
 * `path.split("/")`, `strings.Split(path, "/")`, `strings.FieldsFunc(path, isSlash)`, `explode("/", $path)`, `path.parts`: the path that
 * these are all the parts of.
 */
export function dividedPath(run: Run, frame: Frame, parts: Expression): Expression | null {
  const made = parts.kind === "variable" ? frame.scope.binding(parts.name)?.origins.get(parts.name) : parts;
  if (made?.kind === "field") return made.name === "parts" ? made.of : null;
  if (made?.kind !== "call" || !divides.test(calledName(made))) return null;
  const [first, second] = made.args.map(({ value }) => value);
  if (calledName(made) === "FieldsFunc") return second && asksForSlashes(run, frame, second) ? (first ?? null) : null;
  if (dividesPath(second)) return first ?? null;
  if (!dividesPath(first)) return null;
  return made.callee.kind === "field" ? made.callee.of : (second ?? null);
}

/** A slash, or a pattern with one: `path.split(/[\\/]/)`. */
const dividesPath = (separator: Expression | undefined): boolean =>
  isSlash(separator) ||
  (separator?.kind === "literal" && separator.regex === true && String(separator.value).includes("/"));

/** `func isSlash(r rune) bool { return r == '/' || r == '\\' }` */
function asksForSlashes(run: Run, frame: Frame, asking: Expression): boolean {
  const [closure, another] = evaluate(run, frame, asking).closures;
  if (!closure || another) return false;
  const literals: Expression[] = [];
  walk(closure.fn.body, (node) => {
    if ("kind" in node && node.kind === "literal") literals.push(node);
  });
  return literals.length > 0 && literals.every(isSlash);
}

/** `base in path.parents`: the path that lies below the base. */
export const childOfParents = (list: Expression): Expression | null =>
  list.kind === "field" && list.name === "parents" ? list.of : null;

/** `path.parent == base`, `os.path.dirname(path) == base`, `path.getParent().equals(base)`: the path that lies right in the base. */
export function childOfParent(folder: Expression): Expression | null {
  if (folder.kind === "field" && /^parent(File)?$/.test(folder.name)) return folder.of;
  if (folder.kind === "call" && folder.callee.kind === "field" && /^getParent(File)?$/.test(folder.callee.name))
    return folder.callee.of;
  const isFolderOf = folder.kind === "call" && folders.test(calledName(folder)) && folder.args.length === 1;
  return isFolderOf ? (folder.args[0]?.value ?? null) : null;
}

const folders = /^(dirname|Dir|GetDirectoryName)$/;

const cuts = /^(splitext|Ext|[gG]etExtension|getFilenameExtension|extName|extname|r?split|r?partition|substring)$/;
/** Names are not made in more steps than these. */
const hopsMax = 12;
const sameNames = /^(lower|upper|toLowerCase|toUpperCase|To(Lower|Upper)(Invariant)?|strip|[tT]rim|Path|PurePath)$/;

/** `x.rsplit(".", 1)[1].lower()`, `FilenameUtils.getExtension(x)`, also by way of variables: the name x that ends like this. */
export function nameOfExtension(frame: Frame, operand: Expression): Expression | null {
  let here = operand;
  let cut = false;
  // `x = x.lower()` is made of itself.
  for (let hops = 0; hops < hopsMax; hops++) {
    if (here.kind === "variable" && cut) return here;
    const next = here.kind === "variable" ? frame.scope.binding(here.name)?.origins.get(here.name) : partOf(here);
    if (!next) return cut ? here : null;
    cut ||= here.kind === "field" || (here.kind === "call" && cuts.test(calledName(here)));
    here = next;
  }
  return null;
}

function partOf(here: Expression): Expression | null {
  if (here.kind === "index") return here.of;
  if (here.kind === "field") return here.name === "suffix" ? here.of : null;
  if (here.kind !== "call" || !(cuts.test(calledName(here)) || sameNames.test(calledName(here)))) return null;
  const { callee, args } = here;
  // Functions of a module take the name as an argument, methods of texts are the name's own.
  const given = /^(splitext|Ext|[gG]etExtension|getFilenameExtension|ext[Nn]ame|Path|PurePath)$/.test(calledName(here));
  return given ? (args[0]?.value ?? null) : callee.kind === "field" ? callee.of : null;
}

const shortened =
  /^(getCanonical(Path|File)|getAbsolute(Path|File)|toPath|toFile|normalize|to(Real|Absolute)Path|absolute|resolve|toString|to_s|as_posix)$/;
/** Getters, as Kotlin reads them. */
const shortenedRead = /^(canonical|absolute)(Path|File)$/;
const shorteners =
  /^(Path|PurePath|PurePosixPath|PosixPath|abspath|realpath|normpath|realpathSync|normali[sz]e|normali[sz]e_?[pP]ath|realPath|cleanPath|str|fspath|Abs|Clean|EvalSymlinks|FromSlash|ToSlash)$/;
const depthMax = 4;

/**
 * `file.getCanonicalPath()`, `os.path.realpath(x)`, also by way of variables: what is told of the short form holds for the path itself, and
 * for the name that was joined to a folder: `root.resolve(name).normalize()`.
 */
export function pathsBefore(frame: Frame, operand: Expression): Expression[] {
  const found: Expression[] = [];
  let here: Expression | undefined = operand;
  while (here && found.length < depthMax) {
    const made: Expression | undefined =
      here.kind === "variable" ? frame.scope.binding(here.name)?.origins.get(here.name) : here;
    const parts = made && putTogether(made);
    // What was put behind the first part does not climb, where the whole lies below the folder.
    if (parts) return [...found, ...parts.slice(1, partsMax)];
    here =
      made?.kind === "conditional"
        ? wholeOfCut(made)
        : made?.kind === "call"
          ? (longerOf(made) ?? joinedName(made) ?? fileOfText(frame, made))
          : made?.kind === "field" && made.accessor
            ? shortenedRead.test(made.name)
              ? made.of
              : fileOfText(frame, made)
            : undefined;
    if (here) found.push(here);
  }
  return found;
}

/** `file.getPath()`, where the file was made as the short form of another: its text tells of it. */
function fileOfText(frame: Frame, text: Call | Field): Expression | undefined {
  const read = text.kind === "call" ? text.callee : text;
  if (read.kind !== "field" || !/^(getPath|path)$/.test(read.name) || read.of.kind !== "variable") return undefined;
  const made = frame.scope.binding(read.of.name)?.origins.get(read.of.name);
  const isShort =
    made?.kind === "call" ? longerOf(made) !== undefined : made?.kind === "field" && shortenedRead.test(made.name);
  return isShort ? read.of : undefined;
}

/** `$root . "/" . $name`, `root + "/" + name`, `root / name`. */
function putTogether(here: Expression): readonly Expression[] | null {
  if (here.kind === "template") return here.parts;
  return here.kind === "operation" && puts.test(here.operator) ? here.operands : null;
}

const puts = /^[/+.]$/;

/** Paths are not put together of more parts than these. */
const partsMax = 8;

const joins = /^(join|joinpath|resolve|combine|Path|PurePath)$/i;

const joinedName = (call: Call): Expression | undefined =>
  joins.test(calledName(call)) || (call.isNew && calledName(call) === "File") ? call.args.at(-1)?.value : undefined;

/** `path = os.path.realpath(path)`: what the variable is tells the same of the path that it was. */
export function isShortForm(frame: Frame, name: string): boolean {
  const from = frame.scope.origins.get(name);
  const longer = from?.kind === "call" ? longerOf(from) : undefined;
  return longer?.kind === "variable" && longer.name === name;
}

/** `full = os.path.join(root, name)`, `full = root / name`: what is told of the name afterwards holds for the whole path, too. */
export function pathsMadeOf(frame: Frame, operand: Expression): string[] {
  const key = accessPath(operand);
  if (key === null) return [];
  return [...frame.scope.origins].flatMap(([name, from]) =>
    name !== key && joinedParts(from).some((part) => accessPath(part) === key) ? [name] : [],
  );
}

/** `folder = os.path.dirname(path)`: what is told of the path afterwards holds for its folder, too. */
export function foldersOf(frame: Frame, path: Expression): string[] {
  const key = accessPath(path);
  if (key === null) return [];
  return [...frame.scope.origins].flatMap(([name, from]) => {
    const child = childOfParent(from);
    return child && accessPath(child) === key ? [name] : [];
  });
}

function joinedParts(from: Expression): readonly Expression[] {
  if (from.kind === "template") return from.parts;
  if (from.kind === "operation") return /^[/+]$/.test(from.operator) ? from.operands : [];
  return from.kind === "call" && joins.test(calledName(from)) ? from.args.map(({ value }) => value) : [];
}

/** The way from a folder to a path, which begins with dots where it leaves the folder and is empty where it stays there. */
export function isWay(frame: Frame, operand: Expression): boolean {
  const made = operand.kind === "variable" ? frame.scope.binding(operand.name)?.origins.get(operand.name) : operand;
  return made?.kind === "call" && endOfWay(made) !== undefined;
}

function endOfWay(call: Call): Expression | undefined {
  if (/^(Rel|relative|GetRelativePath)$/.test(calledName(call)) && call.args.length === 2) return call.args[1]?.value;
  return calledName(call) === "relpath" ? call.args[0]?.value : undefined;
}

function longerOf(call: Call): Expression | undefined {
  const { callee, args } = call;
  const end = endOfWay(call);
  if (end) return end;
  if (callee.kind === "field" && args.length === 0 && shortened.test(callee.name)) return callee.of;
  // Paths of Java have a method of that name that joins.
  const resolves = callee.kind === "field" && callee.name === "resolve" && accessPath(callee.of) === "path";
  if (callee.kind === "field" && isStricter(call)) return callee.of;
  return (args.length === 1 && (resolves || shorteners.test(calledName(call)))) || decoders.test(calledName(call))
    ? args[0]?.value
    : undefined;
}

/** What is decoded has all dots that were written out, and others. */
const decoders = /^(url_?decode|decode|unquote(_plus)?|decodeURI(Component)?|rawurldecode)$/i;

/** `path.replace("\\", "/")` has all dots that were there. */
function isStricter({ callee, args }: Call): boolean {
  const [from, to] = args.map(({ value }) => (value.kind === "literal" ? value.value : null));
  return (
    callee.kind === "field" && /^replace(All)?$/.test(callee.name) && args.length === 2 && from === "\\" && to === "/"
  );
}

/** `path.startsWith("/") ? path.substring(1) : path`: the whole of what a slash has been cut off from. Of any other path that could be a dot. */
function wholeOfCut({ test, then, otherwise }: Conditional): Expression | undefined {
  const asked = test.kind === "operation" && equality.test(test.operator) ? test.operands[0] : test;
  const isAsked = asked?.kind === "call" && /^(startsWith|charAt)$/.test(calledName(asked));
  if (!isAsked || asked.callee.kind !== "field") return undefined;
  const name = accessPath(asked.callee.of);
  const isCut = ({ callee, args: [from] }: Call): boolean =>
    callee.kind === "field" &&
    callee.name === "substring" &&
    accessPath(callee.of) === name &&
    from?.value.kind === "literal" &&
    from.value.value === 1;
  const isOne = name !== null && then.kind === "call" && isCut(then) && accessPath(otherwise) === name;
  return isOne ? otherwise : undefined;
}

const equality = /^===?$/;
