import { SluiceError } from "../../platform/errors.ts";
import { isWebAddress } from "../../platform/outbound-policy.ts";

/** Where a repository lives on the web. */
export interface RepositoryAddress {
  /** Scheme, host and port; a stored token belongs to exactly one. */
  readonly origin: string;
  readonly host: string;
  /** Path segments without `.git`, each of them plain: letters, digits, `.`, `_`, `-`, `+`, `~`. */
  readonly path: readonly string[];
}

const segment = /^(?!\.{1,2}$)[\w.+~-]{1,255}$/;

/**
 * Reads the address that a user copied from the browser or from "clone with HTTPS". Whether the host may be reached at all is decided when
 * it is asked.
 * @throws SluiceError repository_url_invalid also for user names and tokens in the URL: those have a field of their own, and are encrypted there
 */
export function parseRepositoryUrl(given: string): RepositoryAddress {
  const url = URL.parse(given);
  // Behind /-/ GitLab shows a page about the repository, such as the tree of a branch.
  const [pathname = ""] = (url?.pathname ?? "").split("/-/");
  const segments = pathname.split("/").filter((part) => part !== "");
  const path = segments.map((part, at) => (at === segments.length - 1 ? part.replace(/\.git$/, "") : part));
  if (!isWebAddress(url) || path.length < 2 || !path.every((part) => segment.test(part))) throw invalidUrl();
  return { origin: url.origin, host: url.host, path };
}

export const invalidUrl = () => new SluiceError("repository_url_invalid", { example: "https://host/owner/repository" });
