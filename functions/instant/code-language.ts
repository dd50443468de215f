/** A language that people name, and the file name by which engine and model know it. */
export interface CodeLanguage {
  readonly name: string;
  readonly fileName: string;
}

/** Names and what else people and editors call them; the first word is the name, the second the extension. */
const known = [
  "javascript js node nodejs mjs cjs es6",
  "jsx jsx javascriptreact react",
  "typescript ts mts cts",
  "tsx tsx typescriptreact",
  "python py python3 python2 pyw",
  "java java",
  "go go golang",
  "rust rs",
  "cpp cpp c++ cc cxx hpp hh",
  "c c h",
  "csharp cs c# dotnet",
  "php php",
  "ruby rb",
  "kotlin kt kts",
  "swift swift",
  "scala scala",
  "dart dart",
  "lua lua",
  "perl pl",
  "r r rlang",
  "groovy groovy gradle",
  "objective-c m objc objectivec",
  "elixir ex exs",
  "erlang erl",
  "clojure clj",
  "solidity sol",
  "sql sql mysql postgresql postgres plsql tsql",
  "shell sh bash zsh shellscript",
  "powershell ps1 pwsh",
  "html html htm",
  "vue vue",
  "svelte svelte",
  "jsp jsp",
  "terraform tf hcl",
  "yaml yaml yml",
  "json json",
  "xml xml",
].map((line) => line.split(" ") as [name: string, extension: string, ...aliases: string[]]);

const byWord: ReadonlyMap<string, CodeLanguage> = new Map([
  ...known.flatMap(([name, extension, ...aliases]) =>
    [name, extension, ...aliases].map((word) => [word, { name, fileName: `code.${extension}` }] as const),
  ),
  ["dockerfile", { name: "dockerfile", fileName: "Dockerfile" }],
  ["docker", { name: "dockerfile", fileName: "Dockerfile" }],
]);

const text: CodeLanguage = { name: "text", fileName: "code.txt" };

/** The language that somebody names, in any capitals; "text" for what nobody knows, in which only secrets are searched for. */
export const codeLanguage = (word: string): CodeLanguage => byWord.get(word.trim().toLowerCase()) ?? text;
