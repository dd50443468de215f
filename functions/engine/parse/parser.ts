import { Language, Parser, type Tree } from "web-tree-sitter";
import type { EngineAssets } from "../engine.ts";
import { noLimit, type TimeLimit, TimeUp } from "../time-limit.ts";
import { copyTree, type Syntax } from "./syntax.ts";
import { type Cursor, TreeWalk } from "./tree-walk.ts";

/** Grammar file of each language we lower. */
const grammars: Record<string, string> = {
  javascript: "tree-sitter-javascript.wasm",
  typescript: "tree-sitter-typescript.wasm",
  tsx: "tree-sitter-tsx.wasm",
  python: "tree-sitter-python.wasm",
  java: "tree-sitter-java.wasm",
  php: "tree-sitter-php.wasm",
  go: "tree-sitter-go.wasm",
  c: "tree-sitter-c.wasm",
  cpp: "tree-sitter-cpp.wasm",
  csharp: "tree-sitter-c_sharp.wasm",
  kotlin: "tree-sitter-kotlin.wasm",
  ruby: "tree-sitter-ruby.wasm",
  rust: "tree-sitter-rust.wasm",
  bash: "tree-sitter-bash.wasm",
};

export type ParseResult =
  | { syntax: Syntax }
  | { failure: "parse_budget" | "time_limit" | "memory_limit" | "grammar_failed" };

/** Pages of WebAssembly, of 64 KiB. The parser asks for the first of these, and it never gives any back. */
const pagesMin = 512;
const pagesMax = 32_768;
/** A megabyte of ordinary code takes 75 MB at most, and a worker has 512 for everything. A megabyte of nonsense can take half a gigabyte. */
const heapBytesMax = 128 * 1_048_576;
/** More than the parser usually asks for at once. */
const roomBytes = 8 * 1_048_576;

/** Reports of progress are rare, and the work between two of them can be a tenth of a second: the clock is looked at for each. */
const stepsBetweenReports = 256;

/** `FALLTHROUGH` on a line of its own before a case would be the type of a declaration. */
const withoutMarks = (text: string): string =>
  text.replace(markBeforeCase, (mark) => (/^(else|do)$/.test(mark) ? mark : " ".repeat(mark.length)));
const markBeforeCase =
  /(?<=^[ \t]{0,200})[A-Za-z_]\w{1,60}(?=[ \t]{0,20}\r?\n\s{0,200}(?:case\b|default\b\s{0,20}:))/gm;

/** What a grammar is given to read in place of a text. Everything stays where it is. */
const readAs: Readonly<Record<string, (text: string) => string>> = {
  // The scanner looks for the end of a line, or for space, and not for the end of the file: where that breaks off within an annotation,
  // nothing would ever stop it, as it never reports.
  kotlin: (text) => (text.endsWith("\n") ? text : `${text}\n`),
  // What is inside a macro is left as single tokens; the arguments of these are expressions like those of a call.
  rust: (text) => text.replace(formatting, (macro) => macro.replace("!", " ")),
  c: withoutMarks,
  cpp: withoutMarks,
};
const formatting = /\b(format|format_args|e?print|e?println|write|writeln)!(?=\s?\()/g;

/**
 * Parses source text. One parser serves the process: parsing is synchronous, so two files never share it.
 * Budgets count the parser's own operations, not time, and are thus the same on every machine.
 */
export class SourceParser {
  readonly #assets: EngineAssets;
  readonly #parser: Parser;

  private constructor(assets: EngineAssets, parser: Parser) {
    this.#assets = assets;
    this.#parser = parser;
  }

  static async create(assets: EngineAssets): Promise<SourceParser> {
    runtime ??= assets.read("web-tree-sitter.wasm").then((wasmBinary) => heap.start(wasmBinary));
    await runtime;
    return new SourceParser(assets, new Parser());
  }

  /** Parses and frees the parser's memory before returning. */
  async parse(text: string, grammar: string, limit: TimeLimit = noLimit()): Promise<ParseResult> {
    const { language, bytes } = await this.#grammar(grammar);
    this.#parser.setLanguage(language);
    this.#assets.onGrammar?.(bytes);
    const callsMax = 2_000 + Math.ceil(text.length / 1024) * 100;
    let calls = 0;
    const isOver = () => ++calls > callsMax || limit.passes(stepsBetweenReports) || !heap.hasRoom();
    const read = Object.hasOwn(readAs, grammar) ? (readAs[grammar]?.(text) ?? text) : text;
    const tree = heap.untilGivenUp(() => this.#parser.parse(read, null, { progressCallback: isOver }));
    if (tree === "given up") {
      this.#parser.reset();
      return { failure: "grammar_failed" };
    }
    if (!tree) {
      this.#parser.reset();
      return { failure: limit.isUp ? "time_limit" : calls > callsMax ? "parse_budget" : "memory_limit" };
    }
    const walk = heap.walk(tree);
    try {
      return { syntax: copyTree(walk, limit) };
    } catch (error) {
      if (error instanceof TimeUp) return { failure: "time_limit" };
      throw error;
    } finally {
      walk.close();
      tree.delete();
    }
  }

  #grammar(name: string): Promise<Grammar> {
    const known = loaded.get(name);
    if (known) return known;
    const file = grammars[name];
    if (!file) throw new Error(`no grammar for ${name}`);
    const loading = this.#assets.read(file).then(load);
    loaded.set(name, loading);
    // What could not be read once may be read the next time.
    loading.catch(() => loaded.delete(name));
    return loading;
  }
}

interface Grammar {
  readonly language: Language;
  readonly bytes: number;
}

const load = async (wasm: Uint8Array): Promise<Grammar> => ({
  language: await Language.load(wasm),
  bytes: wasm.length,
});

/** A grammar asserts something of its own state that does not hold, such as how long the name of a heredoc may be. */
class GrammarGaveUp extends Error {}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What grammars are given to call, by name. */
interface Imports {
  readonly env: Record<string, unknown>;
}

/** The parser's own functions that say and set how far its stack is filled. */
interface Stack {
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(at: number): void;
}

interface Instance {
  readonly exports: Stack;
}

/** The types of Node leave these out. */
const { Memory, Module, Instance } = Reflect.get(globalThis, "WebAssembly") as {
  Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
  Module: new (wasm: Uint8Array) => unknown;
  Instance: new (module: unknown, imports: Imports) => Instance;
};

/** What we use of the runtime. It puts its functions into the object that it is given, and takes them from there. */
interface Runtime extends Cursor {
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/** The memory in which the parser works. It is ours, so that a file is stopped before it makes it grow too far: it stays as it was made. */
class ParserHeap {
  readonly #memory = new Memory({ initial: pagesMin, maximum: pagesMax });
  readonly #runtime: Partial<Runtime> = {};
  #isFixed = false;
  #stack: Stack | undefined;

  async start(wasmBinary: Uint8Array): Promise<void> {
    const grow = this.#memory.grow.bind(this.#memory);
    this.#memory.grow = (pages) => {
      if (this.#isFixed) throw new RangeError("the parser's memory is not to grow now");
      return grow(pages);
    };
    // locateFile is never asked when the binary is given, but its default needs a file URL that a bundle does not have.
    const locateFile = (name: string) => name;
    // Grammars look for this function, which the runtime does not have, only when they call it.
    const giveUp = () => {
      throw new GrammarGaveUp();
    };
    const instantiateWasm = (imports: Imports, done: (instance: Instance, module: unknown) => void) => {
      imports.env.__assert_fail = giveUp;
      const module = new Module(wasmBinary);
      const instance = new Instance(module, imports);
      this.#stack = instance.exports;
      done(instance, module);
    };
    // The runtime adds its functions to what it is given.
    await Parser.init(Object.assign(this.#runtime, { instantiateWasm, wasmMemory: this.#memory, locateFile }));
  }

  /** What `parse` returns. A grammar that gives up leaves the stack as it was then, from which the next file would begin. */
  untilGivenUp<T>(parse: () => T): T | "given up" {
    const filledTo = this.#stack?.emscripten_stack_get_current() ?? 0;
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof GrammarGaveUp)) throw error;
      this.#stack?._emscripten_stack_restore(filledTo);
      return "given up";
    }
  }

  /** A walk from the root of a tree. No other may go on beside it, and nothing may be parsed until it is closed. */
  walk(tree: Tree): TreeWalk {
    return new TreeWalk(this.#runtime as Runtime, tree);
  }

  /** Whether the parser can go on without more memory than it may have. What earlier files have left is used again. */
  hasRoom(): boolean {
    if (this.#memory.buffer.byteLength < heapBytesMax) return true;
    this.#isFixed = true;
    const at = this.#runtime._malloc?.(roomBytes) ?? 0;
    this.#isFixed = false;
    if (at !== 0) this.#runtime._free?.(at);
    return at !== 0;
  }
}

const heap = new ParserHeap();

/** The wasm runtime is one per process, whatever number of engines is created, and so are the grammars in its memory: they stay there. */
let runtime: Promise<void> | undefined;
const loaded = new Map<string, Promise<Grammar>>();

/** The languages that are parsed and interpreted, not only searched for secrets. */
export const grammarNames: readonly string[] = Object.keys(grammars);
