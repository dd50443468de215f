import { isSluiceError, SluiceError } from "../../platform/errors.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { ByteSource } from "../archive/byte-source.ts";
import { archiveLimits } from "../archive/limits.ts";
import { cleanPath } from "../normalise-path.ts";
import type { FindLeftOut, Repository } from "../repository.ts";
import { type LeftOut, leftOutOf } from "../repository-snapshot.ts";
import { withDownload } from "./archive-download.ts";
import { checkedBranch, isBranchName } from "./branch-name.ts";
import type { Dialect, HostedFile } from "./dialect.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { followPages, HostApi, type Listing } from "./host-api.ts";
import { parseRepositoryUrl } from "./repository-address.ts";

const dialects = { github, gitlab, gitea } satisfies Record<string, Dialect>;

/** Providers that are asked through their REST API; Forgejo speaks as Gitea does. */
export type ProviderType = keyof typeof dialects;

export interface RepositoryHostProps {
  readonly type: ProviderType;
  /** As a user entered it. */
  readonly url: string;
  /** Sent only when the repository lives at the very origin that the token was stored for, "https://github.com" say. */
  readonly token?: { readonly value: string; readonly origin: string };
  readonly outbound: Outbound;
  /** Time for everything that is asked; an operation has 25 s in all. @default 20,000 */
  readonly budgetMs?: number;
}

export interface BranchList {
  /** The default branch first, if the repository has it, the others as the host lists them. */
  readonly names: readonly string[];
  /** Null for a repository without commits. */
  readonly defaultBranch: string | null;
  readonly truncated: boolean;
}

/** A branch at one moment: list and archive of the same head have the same files, whatever is pushed meanwhile. */
export interface Head {
  readonly branch: string;
  /** SHA-1 or SHA-256 in hex. */
  readonly commit: string;
}

const branchesMax = 10_000;

/**
 * A repository at GitHub, GitLab, Gitea or Forgejo, in the public cloud or self-hosted. All methods throw SluiceError repository_* and
 * outbound_*; none of them repeats what the host said.
 */
export class RepositoryHost implements Repository {
  readonly #dialect: Dialect;
  readonly #path: readonly string[];
  readonly #api: HostApi;

  /** @throws SluiceError repository_url_invalid */
  constructor({ type, url, token, outbound, budgetMs = 20_000 }: RepositoryHostProps) {
    const address = parseRepositoryUrl(url);
    this.#dialect = dialects[type];
    const { base, path } = this.#dialect.locate(address);
    this.#path = path;
    const credentials = token?.origin === address.origin ? this.#dialect.credentials(token.value) : {};
    this.#api = new HostApi({ outbound, base, headers: this.#dialect.headers, credentials, budgetMs });
  }

  async branches(): Promise<BranchList> {
    const defaultBranch = await this.#defaultBranch();
    const read = (page: number) => this.#dialect.branches(this.#api, this.#path, page);
    const { items, truncated } = await followPages(read, (name) => name, branchesMax);
    const names = items.filter(isBranchName);
    const first = names.filter((name) => name === defaultBranch);
    return { names: [...first, ...names.filter((name) => name !== defaultBranch)], defaultBranch, truncated };
  }

  /**
   * Finds the newest commit of a branch, of the default branch when none is named. Never answers with another branch than the one asked for,
   * not even when the host forwards a renamed one.
   * @throws SluiceError repository_branch_invalid, repository_branch_not_found
   */
  async head(branch?: string): Promise<Head> {
    const named = branch ?? (await this.#defaultBranch());
    const notFound = new SluiceError("repository_branch_not_found", { branch: named ?? "HEAD" });
    if (named === null) throw notFound;
    const wanted = checkedBranch(named);
    const found = await this.#dialect.branch(this.#api, this.#path, wanted).catch(async (error) => {
      if (!isSluiceError(error, "repository_not_found")) throw error;
      // Hosts answer alike for a missing branch and a missing repository. The latter refuses this question too.
      await this.#defaultBranch();
      throw notFound;
    });
    if (found.name !== wanted) throw notFound;
    return { branch: wanted, commit: found.commit };
  }

  /** Lists the files of a head; links, submodules and paths that lead elsewhere are left out. */
  async files({ commit }: Head): Promise<Listing<HostedFile>> {
    let cut = false;
    const read = async (page: number) => {
      const answer = await this.#dialect.tree(this.#api, this.#path, commit, page);
      cut ||= answer.cut ?? false;
      return answer;
    };
    const { items, truncated } = await followPages(read, ({ path }) => path, archiveLimits.entries);
    return { items: items.filter(isPlainPath), truncated: truncated || cut };
  }

  /**
   * Downloads the archive of a head and lends it to `use`; it is gone afterwards. It has to pass `buildManifest` as any upload does.
   * @throws SluiceError outbound_too_large beyond the limit of uploads
   */
  async archive<T>(head: Head, use: (archive: ByteSource, leftOut: FindLeftOut) => Promise<T>): Promise<T> {
    return withDownload(this.#api, this.#dialect.archivePath(this.#path, head.commit), (archive) =>
      use(archive, (archived) => this.#leftOut(head, archived)),
    );
  }

  /** The archive may lack files, and its author decides which. A host that will not list them costs a warning, not the scan. */
  async #leftOut(head: Head, archived: readonly { readonly path: string }[]): Promise<LeftOut> {
    const listed = await this.files(head).catch((error) => {
      if (!isSluiceError(error)) throw error;
      return null;
    });
    return leftOutOf(listed, archived);
  }

  #defaultBranch(): Promise<string | null> {
    return this.#dialect.defaultBranch(this.#api, this.#path);
  }
}

function isPlainPath({ path }: HostedFile): boolean {
  const cleaned = cleanPath(path);
  return "path" in cleaned && cleaned.path === path;
}
