import { SluiceError } from "../../platform/errors.ts";

/** What git's ref storage and every provider can take. */
const bytesMax = 255;

/** git check-ref-format: control characters, space and these never, nor `..`, `@{`, `//`. */
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//;

/** True for what `git check-ref-format --branch` accepts. A name that begins with `-` would be an option where git is called, and `@` means HEAD. */
export const isBranchName = (name: string): boolean =>
  name !== "" &&
  Buffer.byteLength(name) <= bytesMax &&
  name.isWellFormed() &&
  !forbidden.test(name) &&
  !/^[-/]|[/.]$|^(@|HEAD)$/.test(name) &&
  name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));

/** @throws SluiceError repository_branch_invalid */
export function checkedBranch(name: string): string {
  if (!isBranchName(name)) throw new SluiceError("repository_branch_invalid", { branch: name });
  return name;
}
