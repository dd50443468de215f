import { configFormatOf } from "../config/config-format.ts";
import { templateFormatOf } from "../templates/template-format.ts";

/** How a file is read: the language shown in coverage, and the grammar to parse it with, if there is one. */
export interface FileLanguage {
  name: string;
  grammar: string | null;
  /** A programming language that has no lowering yet; its files are only searched for secrets, and coverage says so. */
  unsupported: boolean;
}

const grammars: Record<string, [name: string, grammar: string]> = {
  js: ["javascript", "javascript"],
  jsx: ["javascript", "javascript"],
  mjs: ["javascript", "javascript"],
  cjs: ["javascript", "javascript"],
  ts: ["typescript", "typescript"],
  mts: ["typescript", "typescript"],
  cts: ["typescript", "typescript"],
  tsx: ["typescript", "tsx"],
  py: ["python", "python"],
  pyw: ["python", "python"],
  java: ["java", "java"],
  php: ["php", "php"],
  php5: ["php", "php"],
  phtml: ["php", "php"],
  inc: ["php", "php"],
  ctp: ["php", "php"],
  module: ["php", "php"],
  theme: ["php", "php"],
  install: ["php", "php"],
  go: ["go", "go"],
  c: ["c", "c"],
  // Headers belong to either; the grammar of C++ reads both.
  h: ["cpp", "cpp"],
  hh: ["cpp", "cpp"],
  hpp: ["cpp", "cpp"],
  hxx: ["cpp", "cpp"],
  cc: ["cpp", "cpp"],
  cpp: ["cpp", "cpp"],
  cxx: ["cpp", "cpp"],
  cs: ["csharp", "csharp"],
  kt: ["kotlin", "kotlin"],
  rb: ["ruby", "ruby"],
  rake: ["ruby", "ruby"],
  rs: ["rust", "rust"],
  ru: ["ruby", "ruby"],
  sh: ["shell", "bash"],
  bash: ["shell", "bash"],
  ksh: ["shell", "bash"],
};

const unsupported: Record<string, string> = {
  swift: "swift",
  sql: "sql",
  sh: "shell",
};

/** Interpreters that scripts without an extension name in their first line. */
const interpreters: [program: RegExp, extension: string][] = [
  [/^(node|nodejs|bun|deno|zx)$/, "js"],
  [/^(ts-node|tsx)$/, "ts"],
  [/^python[\d.]*$/, "py"],
  [/^ruby[\d.]*$/, "rb"],
  [/^php[\d.]*$/, "php"],
  [/^(ba|da|k|z)?sh$/, "sh"],
];

/** The extension that a script would have that begins with `#!/usr/bin/env node`. */
function scriptExtension(beginning: string): string | undefined {
  const [, command = ""] = beginning.match(/^#!\s*([^\r\n]{1,200})/) ?? [];
  const [first = "", ...others] = command.trim().split(/\s+/);
  const program = first.endsWith("/env") ? others.find((word) => !/^-|=/.test(word)) : first;
  const name = program?.slice(program.lastIndexOf("/") + 1) ?? "";
  return interpreters.find(([known]) => known.test(name))?.[1];
}

/** Judges by the file name; where that has no extension or that of a script, by what the file begins with as far as it is given. */
export function languageOf(path: string, beginning = ""): FileLanguage {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const written = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  // Programs in other languages are called `backup.sh` too, and those of the Common Gateway Interface may be in any.
  const asks = /^(f?cgi|sh)?$/.test(written);
  const extension = (asks ? scriptExtension(beginning) : undefined) ?? written;
  const template = templateFormatOf(path);
  if (template) return { name: template, grammar: null, unsupported: false };
  const known = Object.hasOwn(grammars, extension) ? grammars[extension] : undefined;
  if (known) return { name: known[0], grammar: known[1], unsupported: false };
  const other = Object.hasOwn(unsupported, extension) ? unsupported[extension] : undefined;
  return other
    ? { name: other, grammar: null, unsupported: true }
    : { name: configFormatOf(path) ?? "text", grammar: null, unsupported: false };
}
