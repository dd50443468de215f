import type { LinkRecord } from "../artefact.ts";

/** More packages than this nobody writes down by hand. */
const dependenciesMax = 300;
/** A release, or the oldest of those that will do: "4.17.21", "^4.17.21". */
const releaseMax = 40;

/** Of a script the beginning tells what it starts. */
const scriptMax = 500;

/** The name of a setting that says which release of a package is asked for. */
export const releaseOf = (name: string): string => `release of ${name}`;

/** What the manifest of a package says to other files: what it is imported as, whether others than the application install it, and which releases it asks for. */
export function manifestLinks(path: string, text: string): Pick<LinkRecord, "library" | "package" | "settings"> {
  if (!/(^|\/)package\.json$/.test(path)) return {};
  const manifest = parsed(text);
  if (typeof manifest !== "object" || manifest === null) return {};
  const {
    name,
    private: unpublished,
    main,
    module,
    exports,
    bin,
    files,
    keywords,
    scripts,
    dependencies,
  } = manifest as Record<string, unknown>;
  const settings = releases(dependencies);
  if (typeof name !== "string") return settings;
  // `npm init` gives every folder a main file; what is started is no library.
  const hasMain = Boolean(main ?? module ?? exports);
  // Without one `index.js` is the main file, of what its author says others should find or are given.
  const isFound = !bin && (Array.isArray(files) || (Array.isArray(keywords) && keywords.length > 0));
  const isLibrary = unpublished !== true && !isStarted(scripts) && (hasMain || isFound);
  return {
    ...settings,
    package: { name, main: typeof main === "string" ? main : "" },
    ...(isLibrary && { library: true as const }),
  };
}

/** Whether a script starts something. What only builds anew whenever a file changes, or runs a script that is not there, does not. */
function isStarted(scripts: unknown): boolean {
  if (typeof scripts !== "object" || scripts === null) return false;
  const script = (name: string): string => {
    const written: unknown = Object.hasOwn(scripts, name) ? (scripts as Record<string, unknown>)[name] : "";
    return typeof written === "string" ? written.slice(0, scriptMax) : "";
  };
  return ["start", "dev"].some((name) => {
    const written = script(name);
    const [, other] = written.match(/^(?:npm run|yarn(?: run)?|pnpm(?: run)?) ([\w:-]+)$/) ?? [];
    const run = other === undefined ? written : script(other);
    return run !== "" && (!/\bwatch\b|\s-w\b/.test(run) || /\b(?:node|nodemon|ts-node|tsx|bun|deno)\b/.test(run));
  });
}

function releases(dependencies: unknown): Pick<LinkRecord, "settings"> {
  if (typeof dependencies !== "object" || dependencies === null) return {};
  const asked = Object.entries(dependencies)
    .filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].length <= releaseMax)
    .slice(0, dependenciesMax);
  return { settings: Object.fromEntries(asked.map(([name, release]) => [releaseOf(name), release])) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
