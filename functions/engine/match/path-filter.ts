import { RE2JS } from "re2js";

/** What a rule says about the files it is for, as globs. */
export interface PathFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Whether a rule is for a file. A glob without a leading slash fits anywhere in a path; it fits a folder with all in it. */
export function isForPath({ include, exclude }: PathFilter, path: string): boolean {
  if (exclude.some((glob) => fits(glob, path))) return false;
  return include.length === 0 || include.some((glob) => fits(glob, path));
}

const known = new Map<string, RE2JS>();
/** Rule files have a few dozen; a process that has seen more starts anew. */
const knownMax = 10_000;

function fits(glob: string, path: string): boolean {
  const regex = known.get(glob) ?? RE2JS.compile(regexOf(glob));
  if (known.size > knownMax) known.clear();
  known.set(glob, regex);
  return regex.test(path);
}

function regexOf(glob: string): string {
  const anchored = glob.startsWith("/") || glob.startsWith("./");
  const body = glob.replace(/^\.?\/+/, "").replace(/\/+$/, "");
  const pattern = body.replace(/\*\*\/|\*\*|\*|\?|[^*?]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : RE2JS.quote(part);
  });
  return `${anchored ? "^" : "(?:^|/)"}${pattern}(?:/|$)`;
}
