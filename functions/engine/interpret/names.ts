import { remembered } from "../catalogue/remembered.ts";
import { apart } from "../ir/interned.ts";
import { type Call, castOperator, type Expression, type Index, type Parameter } from "../ir/ir.ts";
import { elementNamed, holding } from "./held-objects.ts";
import type { Frame, Run } from "./run.ts";
import { type ClassInfo, named, nothing, type Value } from "./value.ts";

/** Languages in which the members of an object are read without naming it. */
export const hasOpenClasses = (language: string): boolean => ["java", "c", "csharp"].includes(language);

/** Paths longer than this name nothing that a model knows. */
const segmentsMax = 9;
/** Packages of Java are as deep as a project likes; a class counts for no more than this, so that its members can be named. */
const classSegmentsMax = 5;

/** The key under which a scope remembers what is known about an expression: "user", "user.name", "this.db". */
export function accessPath(expression: Expression): string | null {
  if (expression.kind === "variable") return expression.name;
  if (expression.kind === "operation" && expression.operator === castOperator)
    return accessPath(expression.operands[0] as Expression);
  if (expression.kind === "field") {
    const of = accessPath(expression.of);
    return of === null ? null : joined(of, expression.name);
  }
  if (expression.kind === "index" && expression.key?.kind === "literal" && isKey(expression.key.value)) {
    const of = accessPath(expression.of);
    return of === null ? null : joined(of, String(expression.key.value));
  }
  return null;
}

/**
 * `request.GET.get("next")` is asked for twice where it is tested: the name of what one key of a map gives, told by tests only. What a getter
 * gives is a part of its object: `entry.getName()`.
 */
export function askedPath({ callee, args }: Call): string | null {
  if (callee.kind !== "field" || args.length > 2) return null;
  if (args.length === 0) {
    const of = isGetter(callee.name) ? accessPath(callee.of) : null;
    return of === null ? null : joined(of, `${callee.name}()`);
  }
  if (!asksByKey.has(callee.name)) return null;
  const [asked] = args;
  if (asked?.value.kind !== "literal" || !isKey(asked.value.value)) return null;
  const of = accessPath(callee.of);
  return of === null ? null : joined(of, `${callee.name}(${asked.value.value})`);
}

/** What is under a key is asked for by a method or by the key alone: `get(name)` and `name` are one field. */
export const askedKey = (asked: string): string => asked.match(/^\w+\((.+)\)$/)?.[1] ?? asked;

/** Methods that give what is under a key; those of requests in Go and its frameworks begin with a capital letter. */
const asksByKey: ReadonlySet<string> = new Set([
  "get",
  "Query",
  "Param",
  "PostForm",
  "FormValue",
  "PostFormValue",
  "PathValue",
  "QueryParam",
  "GetHeader",
]);

/** Readers and iterators give something else each time that they are asked. */
const isGetter = remembered((name) => /^get\p{Lu}/u.test(name) && !/^get(Next|Line|Char|Byte|Token|And)/.test(name));

/** A field of an object, or a call that asks it for what is under a key, by the name that this has under `askedPath`. */
export function askedOf(of: Expression, name: string): Expression {
  const [, method, key] = name.match(/^(\w+)\((.*)\)$/) ?? [];
  const { start, end } = of;
  if (method === undefined || key === undefined) return { kind: "field", of, name, start, end };
  const value: Expression = { kind: "literal", value: key, start, end };
  const callee: Expression = { kind: "field", of, name: method, start, end };
  const args = key === "" ? [] : [{ name: null, spread: false, value }];
  return { kind: "call", callee, args, isNew: false, start, end };
}

/** `$_POST[$name]` where it is tested: the name of the element under a variable of PHP, told by tests only and gone with either of the two. */
export function elementPath({ of, key }: Index): string | null {
  if (key?.kind !== "variable" || !key.name.startsWith("$")) return null;
  const list = accessPath(of);
  return list === null ? null : joined(list, underKey(key.name));
}

/** The name of an element within its list, by the variable that its key is in. */
export const underKey = (variable: string): string => `[${variable}]`;

/** Whether a constant names one element, the way texts and positions do. */
export const isKey = (constant: unknown): constant is string | number =>
  typeof constant === "string" || typeof constant === "number";

/** The paths of a member of a value. */
export function memberPaths(of: Value, name: string): string[] {
  const members: string[] = [];
  for (const path of of.paths) {
    const member = memberPath(path, name);
    if (member !== null) members.push(member);
  }
  return members;
}

const memberPath = (path: string, name: string): string | null => (isExtensible(path) ? joined(path, name) : null);

/** Paths, by those that they go on from: of a text that has been made before it is known already where it leads. */
const madePaths = new Map<string, Map<string, string>>();
let madeCount = 0;
/** Paths that are kept; beyond, all begins anew. */
const madeMax = 20_000;
/** UTF-16 units of a path and of a name that are kept: a key may be as long as the file. */
const keptMax = 200;

/** The path of a member, one string for all who ask. */
export function joined(path: string, name: string): string {
  const members = madePaths.get(path);
  const known = members?.get(name);
  if (known !== undefined) return known;
  const made = `${path}.${name}`;
  if (path.length > keptMax || name.length > keptMax) return made;
  if (++madeCount > madeMax) {
    madePaths.clear();
    madeCount = 0;
  }
  if (members) members.set(apart(name), made);
  else madePaths.set(apart(path), new Map([[apart(name), made]]));
  return made;
}

/** What something is known as of which nothing is known but its name. */
export const byName = remembered((name) => `?${name.replace(shadowed, "")}`);

/** A name that hides another is told apart by what stands behind it. */
const shadowed = /'\d+$/;

/** The path of what a function gives, by its own. */
export const givenBy = remembered((path) => `${path}()`);

function isExtensible(path: string): boolean {
  let segments = 1;
  let inPackage = true;
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    segments++;
    if (!inPackage || !isCapital(path.charCodeAt(dot + 1))) continue;
    inPackage = false;
    segments = Math.min(segments, classSegmentsMax);
  }
  return segments < segmentsMax;
}

const isCapital = (unit: number): boolean => unit >= 65 && unit <= 90;

/** Where the packages of Java's world begin: a class may be written out with its package instead of being imported. */
const packageRoots = new Set([
  "java",
  "javax",
  "jakarta",
  "kotlin",
  "org",
  "com",
  "io",
  "net",
  "cn",
  "groovy",
  "freemarker",
  "ognl",
  "okhttp3",
]);

/** Whether a name that no scope binds begins a class that is written out with its package. */
export const isPackage = (run: Run, name: string): boolean => run.language === "java" && packageRoots.has(name);

/** A name that no scope binds, in languages whose files share the names of their folder. No name of a language looks like this. */
export const inPackage = (name: string): string => (name.startsWith("~") ? name : `~${name}`);

/** What a name means that no scope binds: a global, a built-in, a class of a package imported as a whole. */
export function globalName(run: Run, name: string): Value {
  if (run.language === "go") return run.knowledge.known.has(name) ? named(name) : named(inPackage(name));
  if (run.language === "python") return named(...imported(run, name), name);
  if (run.language !== "java" || isPackage(run, name)) return named(name);
  if (!/^\p{Lu}/u.test(name)) return named(...staticMembers(run, name), `?${name}`);
  return named(...javaClass(run, name));
}

/** `org.shop.Prices`: a class of Java by its package. Constants of objects (`config.TIMEOUT`) are written in capitals throughout. */
export const namesQualified = (run: Run, path: string): boolean =>
  isQualified(path) && !isPackage(run, path.slice(0, path.indexOf(".")));

const isQualified = remembered(
  (path) => /^([a-z][a-z\d_]*\.)+[A-Z]([A-Z\d_]*[a-z]\w*)?$/.test(path) && !/^(this|super)\./.test(path),
);

/** What `from flask import *` may have brought; of a module that no model knows all names that are not the language's own. */
function imported(run: Run, name: string): string[] {
  const { known } = run.knowledge;
  const candidates = run.wildcards.map((module) => (module.endsWith(".") ? `${module}${name}` : joined(module, name)));
  const models = candidates.filter((path) => known.has(path));
  if (models.length > 0 || known.has(name)) return models;
  return candidates.filter((path) => !known.has(path.slice(0, path.lastIndexOf("."))));
}

/** What `import static spark.Spark.*` may have brought, and where no model says so, what that of another class of the project may have. */
function staticMembers(run: Run, name: string): string[] {
  const { known } = run.knowledge;
  const models = run.wildcards.map((module) => `${module}.${name}`).filter((path) => known.has(path));
  if (models.length > 0) return models;
  const classes = run.wildcards.filter((module) => isQualified(module) && !known.has(module));
  return classes.slice(0, staticsMax).map((module) => `${module}.${name}`);
}

/** Classes that all static members are imported from: of one of many, nobody knows whether a name is of it. */
const staticsMax = 2;

/** Java names classes without their package when it is java.lang or imported with an asterisk. */
function javaClass(run: Run, name: string): string[] {
  const candidates = [...run.wildcards, "java.lang"].map((module) => `${module}.${name}`);
  const known = candidates.filter((path) => run.knowledge.known.has(path));
  return known.length > 0 ? known : [name];
}

/** The name of a type, without what it is of; null for what has none. */
const plainType = remembered((type) => {
  const written = type.replace(/<[\s\S]*$|\[[\s\S]*$|^["']|["']$|\|[\s\S]*$/g, "").trim();
  const plain = type.match(/^(?:\w+\.)*Optional\[([\w.]+)\]$/)?.[1] ?? written;
  return /^[\p{L}_$][\p{L}\p{N}_$\\]*(\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u.test(plain) ? plain : null;
});

/**
 * The value of something declared with a type: an unknown instance of it.
 * @param counts which types inside of the class are known; what is known of an object hides what models know of its methods' names
 */
export function typedAs(run: Run, frame: Frame, type: string | null, counts = isEnumeration): Value {
  const plain = type === null ? null : plainType(type);
  if (plain === null) return nothing;
  // What a text is called says more about it than that it is one.
  if (run.language === "java" && /^(String|CharSequence|Object)$/.test(plain)) return nothing;
  if (run.language === "javascript" && /^(any|unknown|string|object|Object|Function)$/.test(plain)) return nothing;
  if (run.language === "php" && /^(array|iterable|string|mixed|object)$/i.test(plain)) return nothing;
  const [root, ...fields] = plain.split(".") as [string, ...string[]];
  // Java also writes types out with their package.
  if (run.language === "java" && fields.length > 0 && /^\p{Ll}/u.test(root)) return named(plain);
  const nested = frame.owner?.fields.get(root);
  const bound = frame.scope.binding(root)?.get(root) ?? (nested?.type && counts(nested.type) ? nested : undefined);
  const resolved = bound ?? globalName(run, root);
  if (bound?.type && fields.length === 0) return { ...nothing, instance: bound.type, paths: basePaths(bound) };
  const paths = resolved.paths.filter((path) => !path.startsWith("?")).map((path) => [path, ...fields].join("."));
  const element = run.language === "java" ? elementNamed(type as string) : null;
  const elements = element === null ? [] : typedAs(run, frame, element).paths.filter(namesClass).map(holding);
  return paths.length > 0 ? named(...paths, ...elements) : nothing;
}

/**
 * What a parameter is declared to be, where that is what it is: in Node a request that came in and the answer to one's own are of one type,
 * and only the name tells which.
 */
export const declaredType = ({ name, type }: Parameter): string | null =>
  type !== null && /\bIncomingMessage$/.test(type) && /^(res|resp|reply|answer|\w*[rR]esponse)$/.test(name)
    ? null
    : type;

const isEnumeration = ({ bases }: ClassInfo): boolean => bases.some(({ paths }) => paths.includes("java.lang.Enum"));

/** Whether objects are made of a type: interfaces say nothing of what their methods give. */
export const hasObjects = (type: ClassInfo): boolean =>
  isEnumeration(type) ||
  type.node.body.some(
    (member) => member.kind === "expression" || (member.kind === "function" && member.fn.body.length > 0),
  );

/** Classes above one; those of frameworks have some twenty. */
const lineageMax = 100;

/** An instance of a class of the file goes by the names of the classes it extends, each met once: two may extend the same two. */
export function basePaths({ type }: Value): string[] {
  const met = new Set<ClassInfo>();
  const above = (info: ClassInfo): string[] => {
    met.add(info);
    return info.bases.flatMap((base) => [
      ...base.paths,
      ...(base.type && !met.has(base.type) && met.size < lineageMax ? above(base.type) : []),
    ]);
  };
  return type ? above(type) : [];
}

export const isClassName = (value: Expression): boolean =>
  value.kind === "variable" && /^\p{Lu}\w*\p{Ll}\w*$/u.test(value.name);

/** Whether the last name of a path is written like that of a class. */
export const namesClass = remembered((path) => /(^|\.)\p{Lu}\w*$/u.test(path));
