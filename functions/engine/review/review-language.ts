import { languageOf } from "../inventory/language.ts";

/** Languages that no rule reads yet, but models do; by extension. */
const more: Record<string, string> = {
  scala: "scala",
  dart: "dart",
  lua: "lua",
  groovy: "groovy",
  gradle: "groovy",
  pl: "perl",
  pm: "perl",
  r: "r",
  m: "objective-c",
  mm: "objective-c",
  ex: "elixir",
  exs: "elixir",
  erl: "erlang",
  clj: "clojure",
  sol: "solidity",
  ps1: "powershell",
  bash: "shell",
  html: "html",
  htm: "html",
  vue: "vue",
  svelte: "svelte",
  jsp: "jsp",
  ejs: "ejs",
  pug: "pug",
  jade: "pug",
  erb: "erb",
};

/** Names and values, which have no logic that a model could judge. */
const pairs = /^(properties|dotenv|ini)$/;

/** The language of a file that a model can review, by its name; null for prose, data and everything unknown. */
export function reviewLanguage(path: string): string | null {
  const { name } = languageOf(path);
  if (name !== "text") return pairs.test(name) ? null : name;
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(more, extension) ? (more[extension] as string) : null;
}

/** How comments look in a language: after `#`, after `--`, between `<!--` and `-->`, or as in C. */
export function commentStyle(language: string): "c" | "hash" | "dash" | "markup" {
  if (
    /^(python|ruby|shell|yaml|perl|r|elixir|powershell|dockerfile|terraform|nginx|apache|properties|dotenv|ini)$/.test(
      language,
    )
  )
    return "hash";
  if (/^(sql|lua)$/.test(language)) return "dash";
  return /^(html|vue|svelte|jsp|ejs|pug|erb|xml)$/.test(language) ? "markup" : "c";
}
