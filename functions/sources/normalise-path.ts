import { SluiceError } from "../platform/errors.ts";

/** Why a name cannot be a path inside a source tree. */
export type PathFault = "escapes" | "control_character" | "empty";

/** C0, DEL and C1: none belongs in a file name, and each can forge a line of a log or a terminal. */
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Reads a relative path the way every platform would: `\` is `/`, empty and `.` segments are dropped. Nothing else is changed (no NFKC: a
 * full-width dot is a legal character, and folding it is how `..` slips through).
 * @returns the path, or the reason why it is none
 */
export function cleanPath(given: string): { path: string } | { fault: PathFault } {
  const slashed = given.replaceAll("\\", "/");
  if (controlCharacters.test(slashed)) return { fault: "control_character" };
  if (slashed.startsWith("/")) return { fault: "escapes" };
  const segments = slashed.split("/").filter((segment) => segment !== "" && segment !== ".");
  const path = segments.join("/");
  if (path === "") return { fault: "empty" };
  // The drive is looked for last: "./C:/x" must not become one by losing its first segment.
  if (segments.includes("..") || /^[a-zA-Z]:/.test(path)) return { fault: "escapes" };
  return { path };
}

/**
 * The one form in which paths inside a project are stored and compared: relative, `/` between segments.
 * Calling it on its own answer changes nothing.
 * @throws path_not_allowed for `..`, absolute and drive paths, control characters and names that end up empty
 */
export function normalisePath(path: string): string {
  const cleaned = cleanPath(path);
  if ("fault" in cleaned) throw new SluiceError("path_not_allowed", { path });
  return cleaned.path;
}
