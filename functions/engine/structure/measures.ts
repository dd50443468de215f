import { excerptOf } from "../findings/excerpt.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import type { Assign, Call, Catch, Expression, FunctionNode, Module, Span, Statement } from "../ir/ir.ts";
import { CodeLines } from "./code-lines.ts";
import { type FileShape, type FunctionShape, outermostAt } from "./file-shape.ts";
import { firstLine, headOf, type Measured, type MeasuredFile, type Query } from "./measured.ts";
import { functionNames, typeNames } from "./names.ts";
import { repeatedLines } from "./repeated-lines.ts";
import { repeatedNumbers } from "./repeated-numbers.ts";
import { searchedLists } from "./searched-lists.ts";
import type { Measure } from "./structure-schema.ts";
import { firstFrom, WordIndex } from "./word-index.ts";

/** Docstrings are for readers, as comments are. */
export const codeLinesOf = (lines: LineIndex, { comments }: Module, { functions }: FileShape): CodeLines =>
  new CodeLines(lines, [
    ...comments,
    ...functions.flatMap(({ fn }) => (isDocumented(fn) ? [fn.body[0] as Statement] : [])),
  ]);

const isDocumented = ({ body: [first] }: FunctionNode): boolean =>
  first?.kind === "expression" && first.value.kind === "literal";

export const measured: Record<Measure, (file: MeasuredFile, query: Query) => Measured[]> = {
  lines: (file, query) =>
    perFunction(file, query, ({ fn, inside }) =>
      file.code.countIn(
        fn,
        inside.map((inner) => inner.fn),
      ),
    ),
  parameters: (file, query) =>
    perFunction(file, query, ({ fn }) => (choosesParameters(fn) ? placedParameters(file, fn) : 0)),
  branches: (file, query) => perFunction(file, query, (fn) => (isLaidOut(file, fn) ? fn.branches : 0)),
  nesting: (file, { above }) =>
    file.shape.functions.flatMap((fn) => {
      if (fn.nesting <= above || !fn.deepest) return [];
      const name = file.nameOf(fn);
      return [{ at: firstLine(file, fn.deepest), fn, anchor: name, source: name, sink: String(fn.nesting) }];
    }),
  "repeated-lines": repetitions,
  "unused-variable": unusedVariables,
  "empty-catch": emptyCatches,
  "grown-text": grownTexts,
  "regex-in-loop": regexesInLoops,
  "kept-listener": keptListeners,
  "type-name": typeNames,
  "function-name": functionNames,
  "repeated-number": repeatedNumbers,
  "searched-list": searchedLists,
  "uncommented-branches": uncommented,
};

function perFunction(
  file: MeasuredFile,
  { above, upTo }: Pick<Query, "above" | "upTo">,
  size: (fn: FunctionShape) => number,
): Measured[] {
  return file.shape.functions.flatMap((fn) => {
    const measured = size(fn);
    if (measured <= above || measured > (upTo ?? measured)) return [];
    const name = file.nameOf(fn);
    return [{ at: headOf(file, fn), fn, anchor: name, source: name, sink: String(measured) }];
  });
}

/** Programs write functions of many branches on one line, people do not. */
const isLaidOut = ({ lines }: MeasuredFile, { fn }: FunctionShape): boolean =>
  lines.lineOf(fn.start) < lines.lineOf(Math.max(fn.start, fn.end - 1));

/** Functions of many branches without any comment, before them or inside. Directives for tools do not count as comments. */
function uncommented(file: MeasuredFile, query: Query): Measured[] {
  const { lines, module, code, text } = file;
  const comments = module.comments
    .filter(({ start, end }) => query.fits(text.slice(start, end)))
    .map(({ start }) => start)
    .sort((a, b) => a - b);
  return perFunction(file, query, (shape) => {
    const { fn, branches } = shape;
    if (branches <= query.above || !isLaidOut(file, shape)) return 0;
    let first = lines.lineOf(fn.start);
    while (first > 1 && !code.isCode(first - 1) && lines.line(first - 1).trim() !== "") first--;
    const isSaid = (comments[firstFrom(comments, lines.startOf(first))] ?? fn.end) < fn.end || isDocumented(fn);
    return isSaid ? 0 : branches;
  });
}

/**
 * Who makes an object of many parts has to say them all; callbacks take what they are given, what a framework calls or a base class declares
 * takes what they want, and `of(k1, v1, k2, v2)` one thing many times.
 */
function choosesParameters({ name, params, decorators }: FunctionNode): boolean {
  const numbered = params.filter((param) => /\d$/.test(param.name)).length;
  const isOwn = decorators.every((decorator) => freely.test(decoratorName(decorator)));
  return name !== "" && isOwn && !/^(constructor|__init__|__new__)$/.test(name) && numbered * 2 < params.length;
}

/** Decorators that leave the parameters to the function. */
const freely =
  /^(staticmethod|classmethod|static|Deprecated|SuppressWarnings|SafeVarargs|VisibleForTesting|Nullable|NotNull|Transactional|cache|lru_cache)$/;

const decoratorName = (decorator: Expression): string => {
  const named = decorator.kind === "call" ? decorator.callee : decorator;
  return named.kind === "variable" || named.kind === "field" ? (named.name.split(".").at(-1) ?? "") : "";
};

/** Nobody tells more parameters than this apart, even where most of them may be left out. */
const optionalMax = 13;

/** Parameters that callers tell apart by their place: in Python those before a `*`, and that have to be given. */
const placedParameters = ({ text }: MeasuredFile, { start: head, params }: FunctionNode): number => {
  const named = params.findIndex(({ rest, byName }) => rest && byName !== true);
  const bare = params.findIndex(({ start }, i) =>
    /[(,]\s*\*\s*,\s*$/.test(text.slice(i === 0 ? head : params[i - 1]?.end, start)),
  );
  const before = params.slice(0, Math.min(...[named, bare].filter((i) => i >= 0), params.length));
  const placed = before.filter(({ rest }) => !rest);
  return placed.length > optionalMax ? placed.length : placed.filter((param) => param.default === null).length;
};

function repetitions(file: MeasuredFile, { above }: Query): Measured[] {
  const { lines, shape } = file;
  const around = (line: number) => {
    const at = lines.startOf(line);
    return shape.functions.findLast(({ fn }) => fn.start <= at && fn.end > at) ?? null;
  };
  // Tables of data look alike by nature; what does something is worth a function.
  return repeatedLines(lines, file.code, above + 1, (line) => around(line) !== null).map((found) => {
    const start = lines.startOf(found.first) + (lines.line(found.first).match(/^\s*/)?.[0].length ?? 0);
    const first = excerptOf(file.text, { start, end: lines.startOf(found.first + 1) }, 60);
    return {
      at: firstLine(file, { start, end: file.text.length }),
      fn: around(found.first),
      anchor: first,
      source: `${found.of.first}–${found.of.last}`,
      sink: String(found.count),
    };
  });
}

/** Bodies longer than this are not searched for what reads variables by name; they are taken to do so. */
const searchedMax = 100_000;

/** Names that occur in their function only where they are declared. The text is searched, not the IR: a lowering may leave something out. */
function unusedVariables(file: MeasuredFile, query: Query): Measured[] {
  const declared = file.shape.locals.flatMap(({ node, fn }) =>
    fn && node.to.kind === "variable"
      ? [{ node, to: node.to, name: file.dollars ? node.to.name.replace(/^\$/, "") : node.to.name, fn }]
      : [],
  );
  const named = declared.filter(
    ({ name }) => !/^(_|unused|ignored?|dummy)/i.test(name) && /^[\p{L}$][\p{L}\p{N}_$]*$/u.test(name),
  );
  if (named.length === 0) return [];
  const words = new WordIndex(file.text, new Set(named.map(({ name }) => name)), file.dollars);
  const plain = new Map<FunctionShape, boolean>();
  const isPlain = (fn: FunctionShape): boolean => {
    const known = plain.get(fn);
    if (known !== undefined) return known;
    const { start, end } = fn.fn;
    const fits = end - start <= searchedMax && query.fits(file.text.slice(start, end));
    plain.set(fn, fits);
    return fits;
  };
  return named.flatMap(({ node, to, name, fn }) => {
    if (!words.isOnceIn(fn.fn, name) || !isPlain(fn)) return [];
    const start = to.end > to.start && to.end - to.start <= name.length + 1 ? to.start : node.start;
    return [{ at: firstLine(file, { start, end: node.end }), fn, anchor: name, source: name, sink: name }];
  });
}

function emptyCatches(file: MeasuredFile, query: Query): Measured[] {
  const { text, module, lines } = file;
  const comments = module.comments.map(({ start }) => start).sort((a, b) => a - b);
  const isExplained = (at: Span) => {
    // A comment behind the last brace, or behind `pass`, is about the same thing.
    const end = lines.startOf(lines.lineOf(Math.max(at.start, at.end - 1)) + 1);
    return (comments[firstFrom(comments, at.start)] ?? end) < end;
  };
  const clause = (node: Catch, fn: FunctionShape | null, tried: readonly Statement[]): Measured[] => {
    const written = text.slice(node.start, node.end);
    if (!isNothing(node.body) || isExplained(node) || !query.fits(written)) return [];
    if (are(loading, tried, text) || are(endingIt, tried, text)) return [];
    const head = firstLine(file, node);
    return [{ at: head, fn, anchor: written.replace(/\s+/g, " "), source: excerptOf(text, head, 40), sink: "" }];
  };
  const callback = ({ callee, args, end }: Call, fn: FunctionShape | null): Measured[] => {
    const given = args[0]?.value;
    if (callee.kind !== "field" || callee.name !== "catch" || args.length !== 1 || given?.kind !== "closure") return [];
    const at = { start: given.start, end };
    const written = text.slice(at.start, at.end);
    if (!isNothing(given.fn.body) || isExplained(at) || !query.fits(written)) return [];
    const shown = `.catch(${written}`;
    return [{ at: { start: given.start, end: given.end }, fn, anchor: shown, source: shown, sink: "" }];
  };
  return [
    ...file.shape.catches.flatMap(({ node, fn, tried }) => clause(node, fn, tried)),
    ...file.shape.calls.flatMap(({ node, fn }) => callback(node, fn)),
  ];
}

const isNothing = (body: readonly Statement[]): boolean =>
  body.every(
    (s) => (s.kind === "block" && isNothing(s.body)) || (s.kind === "expression" && s.value.kind === "literal"),
  );

/** The length, in UTF-16 units, up to which a statement can only load or close something. */
const plainMax = 200;

/** What is loaded only where it is installed: `try { colours = require("colours") } catch {}`. */
const loading = /^[^;{}]*\brequire\([^()]*\)[^;{}]*;?$/;

/** What is given up anyway: `try { socket.close() } catch {}`. Nobody can do more about it. */
const endingIt =
  /^(?:await\s+)?[\w$.>:()-]{0,80}(?:\.|->|::|\b)(?:close|aclose|disconnect|destroy|dispose|release|quit|kill|terminate|cancel|abort|stop|shutdown|unlink|unlinkSync|rmtree|rmSync|rmdir|removeItem|flush|unsubscribe|revokeObjectURL)\([^{};]*\);?$/;

const are = (kind: RegExp, tried: readonly Statement[], text: string): boolean =>
  tried.length > 0 && tried.every(({ start, end }) => end - start <= plainMax && kind.test(text.slice(start, end)));

/** `text += more` in a loop, where a text cannot grow and is copied each time. */
function grownTexts(file: MeasuredFile, query: Query): Measured[] {
  const locals = new Map<FunctionShape, Map<string, Assign>>();
  for (const { node, fn } of file.shape.locals) {
    const name = nameOf(node.to);
    if (!fn || name === null) continue;
    const known = locals.get(fn) ?? new Map<string, Assign>();
    if (!known.has(name)) known.set(name, node);
    locals.set(fn, known);
  }
  return inLoops(file, ({ node, fn, body }) => {
    const { to, from } = node;
    if (to.kind !== "variable" || from.kind !== "operation" || from.operator !== "+") return null;
    const [left] = from.operands;
    if (left?.kind !== "variable" || left.name !== to.name || from.operands.length < 2) return null;
    const declared = locals.get(fn)?.get(to.name);
    if (!declared || declared.start > body.start) return null;
    const isText = /^(java\.lang\.)?[Ss]tring$/.test(declared.type ?? "") || isTextLiteral(declared.from);
    return isText && query.fits(file.text.slice(node.start, node.end)) ? to.name : null;
  });
}

/** Calls that compile a regular expression are lowered to what they make. */
function regexesInLoops(file: MeasuredFile, query: Query): Measured[] {
  return file.shape.regexes.flatMap(({ node, fn, round }) => {
    const inLoop = round && outermostAt(round, node);
    const written = file.text.slice(node.start, node.end);
    if (!inLoop || !query.fits(written)) return [];
    const shown = excerptOf(file.text, node, 60);
    return [{ at: firstLine(file, node), fn, anchor: written, source: shown, sink: shown }];
  });
}

/** What a component starts when it is mounted and does not stop when it is unmounted. */
function keptListeners(file: MeasuredFile, query: Query): Measured[] {
  return file.shape.calls.flatMap(({ node, fn }) => {
    const written = file.text.slice(node.start, Math.min(node.end, node.start + 400));
    const started = written.match(/^(?:(?:window|document|globalThis)\.)?(addEventListener|setInterval)\b/);
    if (!started || !fn || !query.fits(written)) return [];
    const stop = started[1] === "setInterval" ? "clearInterval" : "removeEventListener";
    const isEffect = fn.effect && !fn.answers;
    const isHook = appears.test(fn.fn.name);
    const scope = isEffect ? file.text.slice(fn.fn.start, fn.fn.end) : isHook ? file.text : null;
    if (scope === null || scope.includes(stop)) return [];
    const source = excerptOf(file.text, node, 60);
    return [{ at: firstLine(file, node), fn, anchor: source, source, sink: stop }];
  });
}

/** Methods that frameworks call when a component has been mounted. */
const appears = /^(componentDidMount|mounted|ngOnInit|ngAfterViewInit|connectedCallback)$/;

const isTextLiteral = (from: Expression): boolean => from.kind === "literal" && typeof from.value === "string";

/** Assignments in loops for which the measure gives a name. Those after which the loop ends do not count. */
function inLoops(
  file: MeasuredFile,
  nameIn: (found: { node: Assign; fn: FunctionShape; body: Span }) => string | null,
): Measured[] {
  return file.shape.assigns.flatMap(({ node, fn, round: around }) => {
    const round = around && outermostAt(around, node);
    const name = fn && round ? nameIn({ node, fn, body: round.body }) : null;
    return name === null
      ? []
      : [
          {
            at: firstLine(file, node),
            fn,
            anchor: `${name} ${file.text.slice(node.start, node.end).replace(/\s+/g, " ").slice(0, 200)}`,
            source: name,
            sink: excerptOf(file.text, node, 60),
          },
        ];
  });
}

const nameOf = (expression: Expression): string | null => (expression.kind === "variable" ? expression.name : null);
