import { SluiceError } from "../../platform/errors.ts";
import type { Outbound, OutboundProps } from "../../platform/outbound.ts";
import type { ByteSource } from "../archive/byte-source.ts";
import { checkedBranch, isBranchName } from "../providers/branch-name.ts";
import type { BranchList, Head } from "../providers/repository-host.ts";
import { Deadline } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import { type GitRemote, parseGitRemote } from "./git-remote.ts";
import { type GitToken, HttpsTransport } from "./https-transport.ts";
import { type SnapshotArchive, withSnapshotArchive } from "./snapshot-archive.ts";
import { type SshIdentity, withSsh } from "./ssh-transport.ts";
import type { LeftOut } from "./tree-files.ts";
import { type Transport, UploadPack } from "./upload-pack.ts";

export interface GitRepositoryProps {
  /** As a user entered it: `https://host/path`, `ssh://[user@]host[:port]/path` or `[user@]host:path`. */
  readonly url: string;
  readonly outbound: Outbound;
  /** For https. */
  readonly token?: GitToken;
  /** For SSH, which has no access for strangers. */
  readonly ssh?: SshIdentity;
  /** For SSH: the hosts that the operator allows, as `outbound` has them. */
  readonly network?: OutboundProps;
  /** Time for each method. @default 300,000 */
  readonly budgetMs?: number;
}

export interface Snapshot extends SnapshotArchive {
  readonly head: Head;
}

const branchesMax = 10_000;

/**
 * A repository at any git host, over HTTPS or SSH. All methods throw SluiceError repository_* and outbound_*; none of them repeats what the
 * host said. Reading is all they do, so each may be repeated.
 */
export class GitRepository {
  readonly remote: GitRemote;
  readonly #props: GitRepositoryProps;

  /** @throws SluiceError repository_url_invalid */
  constructor(props: GitRepositoryProps) {
    this.#props = props;
    this.remote = parseGitRemote(props.url);
  }

  async branches(): Promise<BranchList> {
    return this.#connect(async (uploadPack) => {
      const { defaultBranch, branches } = await uploadPack.refs();
      const all = [...branches.keys()].filter(isBranchName);
      const first = all.filter((name) => name === defaultBranch);
      const names = [...first, ...all.filter((name) => name !== defaultBranch)];
      // HEAD of a repository without commits names a branch that is not there.
      const known = first[0] ?? null;
      return { names: names.slice(0, branchesMax), defaultBranch: known, truncated: names.length > branchesMax };
    });
  }

  /** Finds the newest commit of a branch, of the default branch when none is named. @throws SluiceError as `withSnapshot` */
  async head(branch?: string): Promise<Head> {
    return this.#connect((uploadPack) => headOf(uploadPack, branch));
  }

  /**
   * Fetches the newest commit of a branch, of the default branch when none is named, and lends it as an archive; it is gone afterwards. It has
   * to pass `buildManifest` as any upload does. Never another branch than the one asked for.
   * @throws SluiceError repository_branch_invalid, repository_branch_not_found, repository_too_large, repository_damaged; what `use` throws
   *   passes unchanged
   */
  async withSnapshot<T>(branch: string | undefined, use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#connect(async (uploadPack, deadline) => {
      const head = await headOf(uploadPack, branch);
      const { host } = this.remote;
      return withSnapshotArchive(uploadPack, head.commit, { host, deadline }, (made) => use({ head, ...made }));
    });
  }

  /**
   * Lends the archive of a head that was found before, so that a caller who has it already need not fetch it. Servers that speak version 0
   * have only the newest commit of a branch: repository_answer_unexpected says that another was pushed since.
   * @throws SluiceError as `withSnapshot`
   */
  async archive<T>({ commit }: Head, use: (archive: ByteSource, leftOut: LeftOut) => Promise<T>): Promise<T> {
    return this.#connect((uploadPack, deadline) =>
      withSnapshotArchive(uploadPack, commit, { host: this.remote.host, deadline }, ({ archive, leftOut }) =>
        use(archive, leftOut),
      ),
    );
  }

  async #connect<T>(use: (uploadPack: UploadPack, deadline: Deadline) => Promise<T>): Promise<T> {
    const { remote } = this;
    const { outbound, token, ssh, network = {}, budgetMs = gitLimits.totalMs } = this.#props;
    const deadline = new Deadline(remote.host, budgetMs);
    const open = async (transport: Transport) => use(await UploadPack.open(transport), deadline);
    if (remote.kind === "https") return open(new HttpsTransport(remote, outbound, token, deadline));
    if (ssh === undefined) throw new SluiceError("repository_key_missing", { host: remote.host });
    return withSsh(remote, ssh, network, deadline, open);
  }
}

async function headOf(uploadPack: UploadPack, branch: string | undefined): Promise<Head> {
  const wanted = branch === undefined ? undefined : checkedBranch(branch);
  const { branches, defaultBranch } = await uploadPack.refs(wanted);
  const name = wanted ?? defaultBranch;
  const commit = name === null ? undefined : branches.get(name);
  if (name === null || commit === undefined)
    throw new SluiceError("repository_branch_not_found", { branch: name ?? "HEAD" });
  return { branch: checkedBranch(name), commit };
}
