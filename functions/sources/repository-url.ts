import { isSluiceError } from "../platform/errors.ts";
import { isWebAddress } from "../platform/outbound-policy.ts";
import { parseGitRemote } from "./git/git-remote.ts";

/**
 * True for what can be the address of a repository at some host: http or https without a user name or password, or SSH. Whether it is one
 * of its project's provider, and whether it may be reached, is told when the repository is asked for. Other schemes are programs to a
 * browser (`javascript:`) or to git (`ext::`).
 */
export function isRepositoryUrl(given: string): boolean {
  if (/[\s\p{C}]/u.test(given)) return false;
  if (/^https?:\/\//i.test(given)) return isWebAddress(URL.parse(given));
  try {
    return parseGitRemote(given).kind === "ssh";
  } catch (error) {
    if (isSluiceError(error, "repository_url_invalid")) return false;
    throw error;
  }
}
