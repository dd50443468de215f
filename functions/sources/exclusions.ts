import micromatch from "micromatch";
import { SluiceError } from "../platform/errors.ts";
import { finishesWithin, globLimits, guardPatterns } from "./glob-guard.ts";

/**
 * What no scan looks at: dependencies, build output, version control, editors, lock files, minified code.
 * `name/` is a directory of that name anywhere, `*.end` the end of a file name, the rest are file names.
 */
export const builtInExclusions: readonly string[] = [
  "node_modules/",
  "bower_components/",
  "site-packages/",
  ".venv/",
  "venv/",
  ".tox/",
  "vendor/",
  "dist/",
  "build/",
  ".git/",
  "__pycache__/",
  ".pytest_cache/",
  "coverage/",
  ".nyc_output/",
  ".vscode/",
  ".idea/",
  ".vs/",
  "target/",
  "out/",
  ".build/",
  ".next/",
  ".nuxt/",
  ".svelte-kit/",
  ".gradle/",
  ".terraform/",
  "__MACOSX/",
  ".DS_Store",
  "package-lock.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "*.min.js",
  "*.min.css",
  "*.map",
];

/** A path cut into what rules look at; cutting once serves all patterns. */
interface CutPath {
  readonly whole: string;
  readonly segments: readonly string[];
}

/** The pattern or built-in rule that excludes a path, as its reader knows it; null for none. */
export type Exclusion = string | null;

type Rule = (path: CutPath) => boolean;

/**
 * Compiles the exclusions of one request; the answer tells for each path which built-in rule or pattern of the user excludes it, the first
 * if there are several.
 *
 * A pattern without `/` means a file or folder of that name anywhere (`docs`, `*.log`), with a `/` it is matched from the top of the project
 * (`src/*.js`, `/docs`, `./docs`). A pattern that ends in a plain name also covers what lies below it; one that ends in `/` covers only folders.
 * @param totalMilliseconds what all patterns may take together, over all calls of the answer
 * @throws glob_* (422): at once for what the guard refuses, while matching for what takes too long
 */
export function compileExclusions(
  userPatterns: readonly string[],
  totalMilliseconds: number = globLimits.totalMilliseconds,
): (paths: readonly string[]) => Exclusion[] {
  const patterns = guardPatterns(userPatterns).map((pattern) => ({ pattern, rule: compilePattern(pattern) }));
  let remaining = totalMilliseconds;

  function applyTo(block: readonly CutPath[]): Exclusion[] {
    const verdicts = block.map(builtInExclusionOf);
    for (const { pattern, rule } of patterns) {
      const started = performance.now();
      const milliseconds = Math.min(globLimits.blockMilliseconds, remaining);
      const finished =
        milliseconds > 0 &&
        finishesWithin(milliseconds, () => {
          for (const [index, path] of block.entries())
            if (verdicts[index] === null && rule(path)) verdicts[index] = pattern;
        });
      if (!finished) throw new SluiceError("glob_too_expensive", { pattern });
      remaining -= performance.now() - started;
    }
    return verdicts;
  }

  return (paths) => {
    const verdicts: Exclusion[][] = [];
    for (let from = 0; from < paths.length; from += globLimits.blockPaths)
      verdicts.push(applyTo(paths.slice(from, from + globLimits.blockPaths).map(cut)));
    return verdicts.flat();
  };
}

const cut = (whole: string): CutPath => ({ whole, segments: whole.split("/") });

const folders = new Set(builtInExclusions.filter((rule) => rule.endsWith("/")).map((rule) => rule.slice(0, -1)));
const suffixes = builtInExclusions.filter((rule) => rule.startsWith("*")).map((rule) => rule.slice(1));
const names = new Set(builtInExclusions.filter((rule) => !rule.endsWith("/") && !rule.startsWith("*")));

function builtInExclusionOf({ segments }: CutPath): Exclusion {
  const name = segments.at(-1)!;
  if (names.has(name)) return name;
  const suffix = suffixes.find((end) => name.endsWith(end));
  if (suffix !== undefined) return `*${suffix}`;
  const folder = segments.find((segment, index) => index < segments.length - 1 && folders.has(segment));
  return folder === undefined ? null : `${folder}/`;
}

function compilePattern(pattern: string): Rule {
  const foldersOnly = pattern.endsWith("/");
  const trimmed = pattern.replace(/^(?:\.\/)+/, "/").replace(/\/+$/, "");
  if (!trimmed.includes("/")) {
    const matches = nameMatcher(trimmed, pattern);
    return ({ segments }) => (foldersOnly ? segments.slice(0, -1) : segments).some(matches);
  }
  const anchored = trimmed.replace(/^\/+/, "");
  const below = matcher(`${anchored}/**`, pattern);
  if (foldersOnly) return ({ whole }) => below(whole);
  const itself = matcher(anchored, pattern);
  const endsInName = isPlain(anchored.slice(anchored.lastIndexOf("/") + 1));
  return ({ whole }) => itself(whole) || (endsInName && below(whole));
}

const isPlain = (text: string): boolean => !/[*?[\]{}]/.test(text);

const nameMatcher = (name: string, pattern: string): ((text: string) => boolean) =>
  isPlain(name) ? (text) => text === name : matcher(name, pattern);

/** `dot`: an exclusion of `**` includes hidden files. `debug` makes micromatch say when a pattern gives no regular expression. */
function matcher(glob: string, pattern: string): (text: string) => boolean {
  try {
    const matches = micromatch.matcher(glob, { dot: true, nonegate: true, noextglob: true, debug: true });
    // Any second argument, such as the index that `some` hands over, makes it answer with an object, which is always true.
    return (text) => matches(text);
  } catch (error) {
    throw new SluiceError("glob_syntax", { pattern }, error);
  }
}
