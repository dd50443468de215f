import { configFormatOf } from "../config/config-format.ts";

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
  rb: ["ruby", "ruby"],
  rake: ["ruby", "ruby"],
  ru: ["ruby", "ruby"],
  sh: ["shell", "bash"],
  bash: ["shell", "bash"],
  ksh: ["shell", "bash"],
};

const unsupported: Record<string, string> = {
  rs: "rust",
  kt: "kotlin",
  swift: "swift",
  sql: "sql",
  sh: "shell",
};

/** Judges by the file name alone. */
export function languageOf(path: string): FileLanguage {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const known = Object.hasOwn(grammars, extension) ? grammars[extension] : undefined;
  if (known) return { name: known[0], grammar: known[1], unsupported: false };
  const other = Object.hasOwn(unsupported, extension) ? unsupported[extension] : undefined;
  return other
    ? { name: other, grammar: null, unsupported: true }
    : { name: configFormatOf(path) ?? "text", grammar: null, unsupported: false };
}
