import type { Output } from "./template-scope.ts";

/** What functions are called that templates of Go are given to show text as HTML; html/template escapes everything else for its place. */
const shown = "(?:safe|raw|no_?escape|un_?escape|html_?safe|str2html|to_?html|as_?html)(?:d|_?html)?";
const field = "\\$?\\.([A-Z]\\w{0,80}|[a-z]\\w{0,80})((?:\\.\\w{1,80}){0,4})";

/** `{{ .Note | safeHTML }}`, `{{ safe .Note }}` */
const outputs = new RegExp(
  `\\{\\{-?\\s{0,9}(?:${field}\\s{0,9}\\|\\s{0,9}${shown}|${shown}\\s{1,9}${field})\\s{0,9}-?\\}\\}`,
  "gi",
);

/** What a page of Go shows as it is, of what it was given. */
export function outputsOfGo(text: string): Output[] {
  if (!text.includes("{{")) return [];
  return Array.from(text.matchAll(outputs), (found): Output => {
    const [all, piped, pipedPath, handed, handedPath] = found;
    const root = piped ?? handed ?? "";
    const path = (pipedPath ?? handedPath ?? "").split(".").filter((name) => name !== "");
    const start = found.index;
    const end = start + all.length;
    return { start, end, raw: true, place: "text", reads: [{ root, path, state: "plain", start, end }] };
  });
}
