import { hostToken } from "../config/user-config-secrets.ts";
import type { Grants } from "../platform/contract.ts";
import { type ErrorCode, isSluiceError, SluiceError } from "../platform/errors.ts";
import { outbound } from "../platform/outbound.ts";
import type { Project } from "../projects/project.ts";
import { sshGrants, sshIdentity } from "../ssh-keys/ssh-identity.ts";
import { type GitRemote, parseGitRemote } from "./git/git-remote.ts";
import { GitRepository } from "./git/git-repository.ts";
import { parseRepositoryUrl } from "./providers/repository-address.ts";
import { type ProviderType, RepositoryHost } from "./providers/repository-host.ts";
import type { Repository } from "./repository.ts";
import type { RepositoryRef } from "./repository-snapshot.ts";

/** What a function needs to ask for a repository on behalf of its caller: that caller's token and SSH key, and the key to open them. */
export const repositoryGrants = {
  reads: ["userConfig", ...sshGrants.reads],
  writes: sshGrants.writes,
  checks: sshGrants.checks,
  secrets: ["decrypt"],
} as const satisfies Grants;

/** The same with what leads to the repository. */
export const providerGrants = {
  ...repositoryGrants,
  reads: ["project", "member", ...repositoryGrants.reads],
} as const satisfies Grants;

/** Time for trying whether something can be reached at all: somebody is watching. */
export const accessTestMs = 15_000;

/** For all that a list asks; the operation around it has 25 s. */
const listMs = 20_000;

/**
 * Where the code of a project is: in its default branch, or in the one that is named.
 * @throws SluiceError project_not_repository
 */
export function repositoryOf(project: Project, branch: string = project.defaultBranch): RepositoryRef {
  const { repositoryType: type, repositoryUrl: url } = project;
  if (project.sourceType !== "repository" || url === null) throw new SluiceError("project_not_repository");
  return { type, url, branch };
}

/** How a repository is read: through the API of its provider, or by git's own protocol. */
type Way = { readonly provider: ProviderType } | { readonly remote: GitRemote };

/**
 * Says before anything is asked how a repository will be.
 * @throws SluiceError repository_url_invalid
 */
export function requireReadable({ type, url }: RepositoryRef): Way {
  if (type === "other" || isSsh(url)) return { remote: parseGitRemote(url) };
  parseRepositoryUrl(url);
  return { provider: type };
}

/** `ssh://host/path` and `user@host:path`. */
const isSsh = (url: string): boolean => /^ssh:/i.test(url) || !url.includes("://");

/**
 * A repository, to be asked with the token or the SSH key of whoever asks: nobody reads through a project what they could not read
 * themselves. At hosts that are no providers everybody is a stranger over https, as no token is kept for them.
 * @param budgetMs for everything that is asked
 * @throws SluiceError repository_url_invalid, secret_unreadable
 */
export async function openRepository(ref: RepositoryRef, callerId: string, budgetMs = listMs): Promise<Repository> {
  const way = requireReadable(ref);
  const shared = { outbound: outbound(), budgetMs };
  if ("provider" in way) {
    const token = await hostToken(callerId, way.provider);
    return new RepositoryHost({ type: way.provider, url: ref.url, token, ...shared });
  }
  const ssh = way.remote.kind === "ssh" ? await sshIdentity(callerId, way.remote.host) : undefined;
  return new GitRepository({ remote: way.remote, ssh, ...shared });
}

/** True for what keeps a repository from being read and what its owner or host can do something about. */
export const isAccessProblem = (error: unknown): error is SluiceError =>
  isSluiceError(error) && /^(repository|outbound|secret)_/.test(error.code satisfies ErrorCode);
