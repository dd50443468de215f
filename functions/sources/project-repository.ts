import { hostToken } from "../config/user-config-secrets.ts";
import type { Grants } from "../platform/contract.ts";
import { type ErrorCode, isSluiceError, SluiceError } from "../platform/errors.ts";
import { outbound } from "../platform/outbound.ts";
import type { Project } from "../projects/project.ts";
import { RepositoryHost } from "./providers/repository-host.ts";

/** What a function needs to ask a provider on behalf of its caller: that caller's token, and the key to open it. */
export const providerGrants = {
  reads: ["project", "member", "userConfig"],
  secrets: ["decrypt"],
} as const satisfies Grants;

/**
 * The repository of a project, to be asked with the token of whoever asks.
 * @throws SluiceError project_not_repository, repository_type_unsupported, repository_url_invalid, secret_unreadable
 */
export async function openRepository(project: Project, callerId: string): Promise<RepositoryHost> {
  const { repositoryType: type, repositoryUrl: url } = project;
  if (project.sourceType !== "repository" || url === null) throw new SluiceError("project_not_repository");
  if (type === "other") throw new SluiceError("repository_type_unsupported");
  return new RepositoryHost({ type, url, token: await hostToken(callerId, type), outbound: outbound() });
}

/** True for what keeps a repository from being read and what its owner or host can do something about. */
export const isAccessProblem = (error: unknown): error is SluiceError =>
  isSluiceError(error) && /^(repository|outbound|secret)_/.test(error.code satisfies ErrorCode);
