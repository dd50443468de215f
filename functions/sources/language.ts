import { posix } from "node:path";

/** The files a scan reads, by extension, and the language that front ends know each by. */
const languages: Readonly<Record<string, string>> = {
  ".js": "javascript",
  ".jsx": "javascript",
  ".ts": "typescript",
  ".tsx": "typescript",
  ".py": "python",
  ".java": "java",
  ".go": "go",
  ".rs": "rust",
  ".c": "cpp",
  ".cpp": "cpp",
  ".cc": "cpp",
  ".h": "cpp",
  ".hh": "cpp",
  ".cs": "csharp",
  ".php": "php",
  ".rb": "ruby",
  ".kt": "kotlin",
  ".swift": "swift",
  ".sql": "text",
  ".sh": "text",
  ".json": "text",
  ".yml": "text",
  ".yaml": "text",
};

/** Lower case, with the dot. */
export const supportedExtensions: readonly string[] = Object.keys(languages);

/** Whether a scan reads files of this name at all; `A.JS` counts as `.js`. */
export const isSupported = (path: string): boolean => Object.hasOwn(languages, extensionOf(path));

/** The language of a file by its name, "text" for everything without one of its own. */
export function languageOf(path: string): string {
  const extension = extensionOf(path);
  return Object.hasOwn(languages, extension) ? languages[extension]! : "text";
}

const extensionOf = (path: string): string => posix.extname(path).toLowerCase();
