import { hostToken } from "../config/user-config-secrets.ts";
import type { Grants } from "../platform/contract.ts";
import { type ErrorCode, isSluiceError, SluiceError } from "../platform/errors.ts";
import { outbound } from "../platform/outbound.ts";
import type { Project } from "../projects/project.ts";
import { parseRepositoryUrl } from "./providers/repository-address.ts";
import { type ProviderType, RepositoryHost } from "./providers/repository-host.ts";
import type { RepositoryRef } from "./repository-snapshot.ts";

/** What a function needs to ask a provider on behalf of its caller: that caller's token, and the key to open it. */
export const providerGrants = {
  reads: ["project", "member", "userConfig"],
  secrets: ["decrypt"],
} as const satisfies Grants;

/**
 * Where the code of a project is: in its default branch, or in the one that is named.
 * @throws SluiceError project_not_repository
 */
export function repositoryOf(project: Project, branch: string = project.defaultBranch): RepositoryRef {
  const { repositoryType: type, repositoryUrl: url } = project;
  if (project.sourceType !== "repository" || url === null) throw new SluiceError("project_not_repository");
  return { type, url, branch };
}

/**
 * Says before anything is asked whether a repository can be.
 * @throws SluiceError repository_host_not_supported, repository_url_invalid
 */
export function requireReadable({ type, url }: RepositoryRef): ProviderType {
  if (type === "other" || isSsh(url)) throw new SluiceError("repository_host_not_supported");
  parseRepositoryUrl(url);
  return type;
}

/** `ssh://host/path` and `user@host:path`. */
const isSsh = (url: string): boolean => /^(ssh:\/\/|[^/:@]+@[^/:]+:)/i.test(url);

/**
 * A repository, to be asked with the token of whoever asks: nobody reads through a project what their own token would not show them.
 * @param budgetMs for everything that is asked; see RepositoryHost
 * @throws SluiceError repository_host_not_supported, repository_url_invalid, secret_unreadable
 */
export async function openRepository(ref: RepositoryRef, callerId: string, budgetMs?: number): Promise<RepositoryHost> {
  const type = requireReadable(ref);
  const token = await hostToken(callerId, type);
  return new RepositoryHost({ type, url: ref.url, token, outbound: outbound(), budgetMs });
}

/** True for what keeps a repository from being read and what its owner or host can do something about. */
export const isAccessProblem = (error: unknown): error is SluiceError =>
  isSluiceError(error) && /^(repository|outbound|secret)_/.test(error.code satisfies ErrorCode);
