import { lastSegment } from "../../catalogue/paths.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { original } from "../guards/address-parts.ts";
import { namesSlash } from "../guards/last-parts.ts";
import { matchedBy } from "../guards/matcher-tests.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";

type Constant = string | number | boolean | null;

/** What a call takes out of a text, and what it puts there. */
export interface Replacement {
  /** A regular expression, or the text itself. */
  readonly pattern: string;
  readonly isRegex: boolean;
  /** Null where it is not known. */
  readonly put: string | null;
  /** Whether it is done wherever a text has it. */
  readonly everywhere: boolean;
  /** The pattern where only its name is known, as that of another file is; no text stands for it. */
  readonly elsewhere?: Value;
}

/** A call that replaces, with what it is asked of and what it is given. */
interface Asked {
  readonly run: Run;
  readonly frame: Frame;
  readonly call: Call;
  readonly receiver: Value | null;
  readonly args: readonly Value[];
}

type Reader = (asked: Asked) => readonly Replacement[];

/** What a call replaces in a text, where that is written out. */
export function replacementsOf(
  run: Run,
  frame: Frame,
  call: Call,
  receiver: Value | null,
  args: readonly Value[],
): readonly Replacement[] {
  const known = Object.hasOwn(readers, run.language) ? readers[run.language] : undefined;
  const name = lastName(call.callee);
  const read = known && Object.hasOwn(known, name) ? known[name] : undefined;
  return read ? read({ run, frame, call, receiver, args }) : [];
}

/** Patterns that are compiled or literals are known by their text, which is no text of the program. */
export const isCompiled = (value: Value | null | undefined): value is Value =>
  value?.constants?.length === 1 && typeof value.constants[0] === "string" && value.prefix === null;

function replaced(
  pattern: Value | null | undefined,
  put: Value | undefined,
  isRegex: boolean,
  everywhere = true,
): readonly Replacement[] {
  const [written, ...others] = pattern?.constants ?? [];
  const [text] = put?.constants?.length === 1 ? put.constants : [null];
  const known = { isRegex, put: text === null ? null : String(text), everywhere };
  if (pattern && isSeparator(pattern)) return [{ ...known, isRegex: false, pattern: "/" }];
  if (pattern && isNameOnly(pattern)) return [{ ...known, pattern: "", elsewhere: pattern }];
  return typeof written !== "string" || others.length > 0 ? [] : [{ ...known, pattern: written }];
}

/** `name.replace(os.sep, "_")` */
const isSeparator = (value: Value): boolean =>
  isNameOnly(value) && value.paths.every((path) => namesSlash.test(lastSegment(path)) && path.includes("."));

const isNameOnly = ({ constants, taint, slots, paths }: Value): boolean =>
  constants === null && taint.length === 0 && !slots && paths.length > 0;

/** `text.replace(pattern, put)` of languages in which the pattern says by its kind what it is. */
const inText: Reader = ({ args: [pattern, put] }) => replaced(pattern, put, isCompiled(pattern));

const inTextByFlag: Reader = ({ run, frame, call, args: [pattern, put] }) =>
  replaced(pattern, put, isCompiled(pattern), isGlobal(run, frame, call));

/** `PATTERN.sub("", text)`, `re.sub(pattern, "", text, 1)`: with a number, the rest stays as it was. */
const bySub: Reader = ({ run, frame, call, receiver, args }) => {
  const [pattern, put, , count] = isAskedItself(receiver) ? [receiver, ...args] : args;
  const named = (name: string) => {
    const written = call.args.find((arg) => arg.name === name);
    return written && evaluate(run, frame, written.value);
  };
  return replaced(named("pattern") ?? pattern, named("repl") ?? put, true, !isCounted(named("count") ?? count));
};

/** A pattern, or what is named like one of another file: the module is called by its own name. */
const isAskedItself = (receiver: Value | null): receiver is Value =>
  isCompiled(receiver) || (receiver && isNameOnly(receiver) && !isModule(receiver)) === true;

const isModule = ({ paths }: Value): boolean => paths.some((path) => /^(re|regex)$/.test(path));

/** `PATTERN.replace(text, put)` */
const byCompiled: Reader = ({ receiver, args: [, put] }) => (isCompiled(receiver) ? replaced(receiver, put, true) : []);

const pythonReplace: Reader = ({ args: [text, put, count] }) => replaced(text, put, false, !isCounted(count));

/** Whether there is a number, and none by which all are meant. */
const isCounted = (count: Value | undefined): boolean => {
  const [most] = count?.constants ?? [];
  return count !== undefined && !(typeof most === "number" && most <= 0);
};

/** `text.replace(from, to)`, `StringUtils.replace(text, from, to)`, and of Kotlin `PATTERN.replace(text, put)`. */
const javaReplace: Reader = (asked) => {
  if (isCompiled(asked.receiver)) return byCompiled(asked);
  const [, second, third] = asked.args;
  return third ? replaced(second, third, false) : inText(asked);
};

/** `text.replaceAll(pattern, put)`, `PATTERN.matcher(text).replaceAll(put)`. */
const javaReplaceAll: Reader = ({ run, frame, call, args: [first, second] }) => {
  const matched = call.callee.kind === "field" ? matchedBy(frame, call.callee.of) : null;
  return matched ? replaced(evaluate(run, frame, matched.pattern), first, true) : replaced(first, second, true);
};

/** `PATTERN.ReplaceAllString(text, put)`; functions of the package for texts have one argument more. */
const goReplaceAll: Reader = ({ call, receiver, args: [text, put, by] }) =>
  isCompiled(receiver) || (receiver && !by && lastName(call.callee) !== "ReplaceAll" && isNameOnly(receiver))
    ? replaced(receiver, put, true)
    : by
      ? replaced(put, by, false)
      : replaced(text, undefined, false);

/** `strings.Replace(text, from, to, -1)`, `strings.NewReplacer(from, to, …).Replace(text)`. */
const goReplace: Reader = ({ run, frame, call, args: [, from, to, count] }) => {
  if (count) return replaced(from, to, false, Number(count.constants?.[0] ?? 1) < 0);
  const made = call.callee.kind === "field" ? original(frame, call.callee.of) : null;
  if (made?.kind !== "call" || lastName(made.callee) !== "NewReplacer") return [];
  const texts = made.args.map(({ value }) => evaluate(run, frame, value));
  return texts.flatMap((text, i) => (i % 2 === 0 ? replaced(text, texts[i + 1], false) : []));
};

/** `text.Replace(from, to)`, `PATTERN.Replace(text, put)`, `Regex.Replace(text, pattern, put)`. */
const csharpReplace: Reader = ({ call: { callee }, receiver, args: [first, second, third] }) => {
  if (isCompiled(receiver)) return replaced(receiver, second, true, third === undefined);
  const isStatic = callee.kind === "field" && callee.of.kind === "variable" && callee.of.name === "Regex";
  return isStatic ? replaced(second, third, true) : replaced(first, second, false);
};

/** `text.tr("/", "_")`, `text.delete("^a-z")`: the characters of a list, or all others. */
const byCharacters: Reader = ({ args: [list, put] }) => characters(list, put?.constants?.[0] ?? "");

/** `strtr(text, "/.", "__")`; what a map says is read where it is known what it is for. */
const phpStrtr: Reader = ({ args: [, from, to] }) => (to ? characters(from, to.constants?.[0] ?? null) : []);

const characters = (list: Value | undefined, put: Constant): readonly Replacement[] =>
  replaced(list, undefined, true).map((one) => ({
    ...one,
    pattern: `[${one.pattern.replace(/[\\\]]/g, "\\$&")}]`,
    put: put === null ? null : String(put),
  }));

/** `preg_replace([first, second], "", text, most)`: patterns stand between delimiters. */
const pregReplace: Reader = ({ args: [patterns, put, , most] }) => {
  const everywhere = most === undefined || Number(most.constants?.[0] ?? -1) < 0;
  const puts = eachOf(put);
  return eachOf(patterns).flatMap((pattern, i) =>
    replaced(pattern, puts.length > 1 ? puts[i] : puts[0], true, everywhere).map((one) => ({
      ...one,
      pattern: undelimited(one.pattern),
    })),
  );
};

/** A value, or those of a list that is written out. */
const eachOf = (value: Value | undefined): readonly (Value | undefined)[] =>
  value?.slots?.shape === "list" && !value.slots.rest ? [...value.slots.entries.values()] : [value];

/** `text.split("/").join("_")`, with the parts and what is put between them where a language has them. */
const joined =
  (parts: (call: Call) => Expression | undefined, put: (asked: Asked) => Value | null | undefined): Reader =>
  (asked) => {
    const split = parts(asked.call);
    if (split?.kind !== "call" || !splits.test(lastName(split.callee))) return [];
    const [at, ...others] = split.args.slice(asked.run.language === "go" ? 1 : 0);
    // With a number of parts, the last one is what was left; the text of PHP stands behind what it is split by.
    if (!at || others.length > (asked.run.language === "php" ? 1 : 0)) return [];
    const pattern = evaluate(asked.run, asked.frame, at.value);
    return replaced(pattern, put(asked) ?? undefined, isCompiled(pattern));
  };

const splits = /^(split|explode|Split)$/;
const receiverOf = ({ callee }: Call): Expression | undefined => (callee.kind === "field" ? callee.of : undefined);
const argument = (at: number) => (call: Call) => call.args[at]?.value;
const given = (at: number) => (asked: Asked) => asked.args[at];

/** PHP keeps patterns with their delimiters and flags; what is written at the call may have lost them already. */
export const undelimited = (pattern: string): string => pattern.match(/^([/#~!@%|])(.*)\1[a-zA-Z]*$/s)?.[2] ?? pattern;

/** `text.match(/\d+/g)` gives all matches, and no groups. */
export const isGlobal = (run: Run, frame: Frame, { args: [pattern] }: Call): boolean =>
  run.language === "javascript" && pattern !== undefined && /^[a-z]*g[a-z]*$/.test(flagsOf(run, frame, pattern.value));

/** Behind the literal, also where it has a name, or what the pattern is made with. */
const flagsOf = (run: Run, frame: Frame, pattern: Expression): string => {
  const at = original(frame, pattern);
  const flags = at.kind === "call" && lastName(at.callee) === "RegExp" ? at.args[1]?.value : undefined;
  if (flags) return String(evaluate(run, frame, flags).constants?.[0] ?? "");
  return writtenFlags(run, at.kind === "call" || at.kind === "literal" ? at : pattern);
};

const writtenFlags = (run: Run, made: Expression): string => {
  const text = run.text.slice(made.start, made.end);
  return text.slice(text.lastIndexOf("/") + 1);
};

/** Whether what a constant is declared as is a literal that stands for all that it matches. */
export const hasGlobalMark = (run: Run, made: Expression): boolean => /^[a-z]*g[a-z]*$/.test(writtenFlags(run, made));

/** By language and the name of what is called. */
const readers: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  javascript: { replace: inTextByFlag, replaceAll: inText, join: joined(receiverOf, given(0)) },
  python: {
    sub: bySub,
    subn: bySub,
    replace: pythonReplace,
    join: joined(argument(0), ({ receiver }) => receiver),
  },
  java: { replace: javaReplace, replaceAll: javaReplaceAll, join: joined(argument(1), given(0)) },
  go: {
    ReplaceAll: goReplaceAll,
    ReplaceAllString: goReplaceAll,
    ReplaceAllLiteralString: goReplaceAll,
    Replace: goReplace,
    Join: joined(argument(0), given(1)),
  },
  csharp: { Replace: csharpReplace },
  ruby: { gsub: inText, tr: byCharacters, delete: byCharacters, join: joined(receiverOf, given(0)) },
  rust: {
    replace: inText,
    replace_all: byCompiled,
  },
  php: {
    preg_replace: pregReplace,
    preg_replace_callback: pregReplace,
    mb_ereg_replace: ({ args: [pattern, put] }) => replaced(pattern, put, true),
    strtr: phpStrtr,
    implode: joined(argument(1), given(0)),
  },
};
