import { SluiceError } from "../../platform/errors.ts";

/** Where a repository is fetched from. */
export type GitRemote = HttpsRemote | SshRemote;

export interface HttpsRemote {
  readonly kind: "https";
  /** Without a slash at its end. */
  readonly url: string;
  /** Scheme, host and port; a stored token belongs to exactly one. */
  readonly origin: string;
  readonly host: string;
}

export interface SshRemote {
  readonly kind: "ssh";
  readonly user: string;
  /** As WHATWG spells it: lower case, IPv6 in brackets. */
  readonly hostname: string;
  readonly port: number;
  /** "hostname:port", under which a host key is known. */
  readonly host: string;
  /** As the server shall see it; every character of it is plain. */
  readonly path: string;
}

const scpLike = /^(?:([^@:/\s]+)@)?(\[[0-9a-f:.]+\]|[^@:/[\]\s]{2,}):(?!\/\/)(.+)$/i;
const userName = /^[A-Za-z0-9_][\w.-]{0,63}$/;
/** Letters of any script and signs that mean nothing to a shell; the path is put in quotes all the same. */
const plainPath = /^[\p{L}\p{N}/._~+@-]{1,1024}$/u;

/**
 * Reads what "clone with HTTPS" or "clone with SSH" shows: `https://host/path`, `ssh://[user@]host[:port]/path` or `[user@]host:path`.
 * Whether the host may be reached at all is decided when it is asked.
 * @throws SluiceError repository_url_invalid also for names and tokens in an https address: those have fields of their own, and are encrypted there
 */
export function parseGitRemote(given: string): GitRemote {
  const text = given.trim();
  if (/^https?:\/\//i.test(text)) return httpsRemote(text);
  if (/^ssh:\/\//i.test(text)) return sshUrl(text);
  const [, user, host = "", path = ""] = scpLike.exec(text) ?? [];
  return sshRemote(user, host, "", path);
}

function httpsRemote(text: string): HttpsRemote {
  const url = URL.parse(text);
  const path = url?.pathname.replace(/\/+$/, "") ?? "";
  const extra = url && `${url.username}${url.password}${url.search}${url.hash}`;
  if (url === null || extra !== "" || path === "") throw invalidUrl();
  return { kind: "https", url: `${url.origin}${path}`, origin: url.origin, host: url.host };
}

function sshUrl(text: string): SshRemote {
  const url = URL.parse(text);
  if (url === null || `${url.password}${url.search}${url.hash}` !== "") throw invalidUrl();
  // git takes "/~user/path" for a path below that user's home.
  const path = decoded(url.pathname).replace(/^\/(?=~)/, "");
  return sshRemote(url.username || undefined, url.hostname, url.port, path);
}

function sshRemote(user = "git", host: string, port: string, path: string): SshRemote {
  // A special scheme has every spelling of a host and of an IP address made one.
  const hostname = URL.parse(`http://${host}`)?.hostname ?? "";
  const number = Number(port || 22);
  // A path or a host that begins with "-" would be an option to a program on the other side.
  const acceptable =
    userName.test(user) &&
    /^[\w[]/.test(hostname) &&
    number > 0 &&
    plainPath.test(path) &&
    !path.startsWith("-") &&
    !path.split("/").includes("..") &&
    /[^/~]/.test(path);
  if (!acceptable) throw invalidUrl();
  return { kind: "ssh", user, hostname, port: number, host: `${hostname}:${number}`, path };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidUrl();
  }
}

const invalidUrl = () =>
  new SluiceError("repository_url_invalid", { example: "https://host/owner/repository, git@host:owner/repository" });
