import type { ClassStatement, FunctionNode, FunctionStatement, Import, Statement } from "../ir/ir.ts";
import { exportName } from "./assign.ts";
import { makesReady, newFrame, runBody } from "./calls/invoke.ts";
import { hasOverloads, methodKey } from "./calls/overloads.ts";
import { noteDecorated } from "./calls/registries.ts";
import { checkDefinition } from "./check.ts";
import { evaluate, symbolOf } from "./evaluate.ts";
import { basePaths } from "./names.ts";
import { noteProvider } from "./objects/statement-providers.ts";
import type { Frame, Run } from "./run.ts";
import { isFact, Scope } from "./scope.ts";
import { constrainedElsewhere, fieldConstraints, nobodyElse, noConstraints } from "./validators/constraints.ts";
import { allOf } from "./validators/schemas.ts";
import { type ClassInfo, type ClosureValue, constant, join, named, nothing, type Value } from "./value.ts";

/** Every name that is bound nowhere is looked for in each of them; whoever writes code imports a dozen packages so. */
const wildcardsMax = 100;

/** Declares what an import brings. */
export function bindImport(run: Run, frame: Frame, s: Import): void {
  if (s.as === "*") {
    // JavaScript has the names of others for those who import from it only.
    const isNew = run.wildcards.length < wildcardsMax && !run.wildcards.includes(s.module);
    if (run.language !== "javascript" && isNew) run.wildcards.push(s.module);
    if (/^(python|javascript)$/.test(run.language) && !frame.fn && !frame.owner) run.alias("*", s.module);
    return;
  }
  const module = run.language === "python" ? s.module : s.module.replace(/\/index(\.\w+)?$/, "");
  // "from . import db" already ends in the dot that joins.
  const path = s.name === null ? module : `${module}${module.endsWith(".") ? "" : "."}${s.name}`;
  const same = run.knowledge.calls.find(path).returns;
  // `fs/promises` goes by the name of fs, and so does what is in it.
  const within = s.name === null ? [] : run.knowledge.calls.find(module).returns.map((alias) => `${alias}.${s.name}`);
  const imported = named(path, ...same, ...within);
  if (s.name === null) run.modules.set(s.as, path);
  frame.scope.set(s.as, imported);
  exportName(run, frame, s.as, imported);
}

/** Declares a function. */
export function bindFunction(run: Run, frame: Frame, fn: FunctionNode): void {
  const closure: ClosureValue = { fn, scope: frame.scope, self: null, owner: frame.owner };
  remember(run, closure, symbolOf(frame.symbol, fn.name, fn.params.length));
  if (fn.exported && !frame.fn && !frame.owner) run.exports.set(fn.name, closure);
  frame.scope.set(fn.name, { ...nothing, closures: [closure] });
}

function remember(run: Run, closure: ClosureValue, symbol: string): void {
  run.closures.set(closure.fn, closure);
  run.symbols.set(closure.fn, symbol);
}

/**
 * Constructors, then what a framework fills an object with, then what uses it. Getters of PHP, Java and C# take nothing, and give what any method
 * has put into the object that takes something.
 */
const fillsFirst = (run: Run, { fn }: FunctionStatement): number =>
  makesReady(fn)
    ? 0
    : /^set\p{Lu}/u.test(fn.name)
      ? 1
      : fn.params.length === 0 && keepsFields.has(run.language)
        ? 3
        : 2;

const keepsFields: ReadonlySet<string> = new Set(["csharp", "java", "php"]);

/** What the decorators of a class say of its fields. */
function schemasOf(run: Run, frame: Frame, { decorated }: ClassStatement): ClassInfo["schemas"] {
  const told = (decorated ?? []).flatMap(({ name, decorators }) => {
    const schema = allOf(
      run.catalogue,
      decorators.map((decorator) => evaluate(run, frame, decorator)),
    );
    return schema ? [[name, schema] as const] : [];
  });
  return told.length > 0 ? new Map(told) : null;
}

/** Declares a class: its methods first, then the field initialisers, which may use them. */
export function bindClass(run: Run, frame: Frame, node: ClassStatement): void {
  const symbol = symbolOf(frame.symbol, node.name, -1);
  const schemas = schemasOf(run, frame, node);
  const info: ClassInfo = {
    node,
    symbol,
    methods: new Map(),
    fields: new Map(),
    bases: [],
    facts: new Set(),
    schemas,
    constrained: noConstraints,
    constrainedBy: nobodyElse,
    outer: run.language === "java" ? frame.self : null,
  };
  const type: Value = { ...nothing, type: info, paths: [node.name] };
  frame.scope.set(node.name, type);
  info.bases = node.bases.map((base) => evaluate(run, frame, base));
  if (node.decorators.length > 0 && !frame.fn && !frame.owner) noteDecorated(run, frame, node);
  // Those of Ruby are calls in the body, which are looked at there.
  if (run.language !== "ruby") for (const decorator of node.decorators) evaluate(run, frame, decorator);
  info.constrained = fieldConstraints(run, frame, node);
  info.constrainedBy = constrainedElsewhere(run, frame, node);
  const self: Value = { ...nothing, instance: info, paths: ["?this", ...basePaths(type)] };
  const scope = new Scope(frame.scope, info);
  run.classes.push(info);
  const inner = newFrame(null, scope, self, info, symbol);
  // Constructors first: what they store is there when the other methods are looked at.
  const methods = node.body.filter((member) => member.kind === "function");
  for (const member of methods.toSorted((a, b) => fillsFirst(run, a) - fillsFirst(run, b))) {
    const closure: ClosureValue = { fn: member.fn, scope: frame.scope, self, owner: info };
    // Methods of one name are told apart by how many parameters they have, where a language has such.
    const key = methodKey(info, member.fn);
    info.methods.set(hasOverloads.has(run.language) ? key : member.fn.name, closure);
    if (isMet(run, frame, info))
      run.exports.set(`${node.name}.${hasOverloads.has(run.language) ? key : member.fn.name}`, closure);
    checkDefinition(run, inner, member.fn);
    noteProvider(run, inner, member.fn);
    remember(run, closure, symbolOf(symbol, member.fn.name, member.fn.params.length));
  }
  const others = node.body.filter((member) => member.kind !== "function");
  if (run.language === "java") for (const member of others) keepConstant(info, member);
  runBody(run, inner, others);
  for (const [name, value] of scope.variables ?? []) {
    if (isFact(name)) info.facts.add(name);
    const known = info.fields.get(name);
    if (!name.startsWith("this.")) info.fields.set(name, known ? join(known, value) : value);
  }
}

/**
 * Whether other files call the methods of a class: one inside another is met as what it implements, or makes the other, and so is one of
 * Java that a function declares; those in modules of Ruby are met like all others.
 */
function isMet({ language }: Run, frame: Frame, { node, bases }: ClassInfo): boolean {
  if (frame.fn) return language === "java" && bases.some(({ paths }) => paths.some((path) => !isOfJava.test(path)));
  return (
    !frame.owner ||
    language === "ruby" ||
    (language === "java" && (node.bases.length > 0 || node.name.endsWith("Builder")))
  );
}

/** What the language itself calls back, of which every project has many: none of its own files asks for them by these names. */
const isOfJava = /^\??(javax?|jakarta|kotlin|android)\.|^\??(Runnable|Thread|ThreadLocal|Iterable|Comparable|Object)$/;

/** `= made()` calls a method, which asks for constants of the class before the last of its fields has a value. */
function keepConstant({ fields }: ClassInfo, member: Statement): void {
  if (member.kind !== "expression" || member.value.kind !== "assign") return;
  const { to, from } = member.value;
  if (to.kind !== "variable" || from.kind !== "literal" || fields.has(to.name)) return;
  fields.set(to.name, constant(from.value));
}
