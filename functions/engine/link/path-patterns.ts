import { RE2JS } from "re2js";

/** Stands for what a placeholder of a route may be: a wildcard fits it, and no text does. */
const anything = "\uFFFC";
const patterns = new Map<string, RE2JS>();
const rememberedMax = 2000;

/** The path of a route as patterns are compared with it; null where a part of it is not known. */
export function comparable(path: string | null): string | null {
  if (path === null || /[$#]\{/.test(path)) return null;
  const filled = path
    .replace(/\{[^{}]*(\{[^{}]*\}[^{}]*)*\}|<[^<>]*>/g, anything)
    .replace(/(^|\/):[A-Za-z_]\w*/g, `$1${anything}`);
  return filled.includes(":") ? null : `/${filled}`.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");
}

/** Whether a pattern such as `/notes/**` fits a comparable path. */
export function fits(pattern: string, path: string): boolean {
  const known = patterns.get(pattern) ?? compiled(pattern);
  if (patterns.size < rememberedMax) patterns.set(pattern, known);
  return known.matches(path);
}

/** Whether a pattern can fit only one path, so that who wrote it has thought of that. */
export const isExact = (pattern: string): boolean => !/[*?{]/.test(pattern);

function compiled(pattern: string): RE2JS {
  const parts =
    `/${pattern}`.replace(/\/+/g, "/").match(/\/\*\*(?=\/|$)|\/\{\*\w+\}$|\{[^{}]*\}|\*+|\?|[^*?{/]+|./g) ?? [];
  const source = parts.map((part) => {
    if (part === "/**" || part.startsWith("/{*")) return "(/.*)?";
    if (part.startsWith("{") && part.endsWith("}")) return "[^/]+";
    if (part.startsWith("**")) return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : RE2JS.quote(part);
  });
  return RE2JS.compile(`${source.join("")}/?`, RE2JS.DOTALL);
}
