import { SluiceError } from "../../platform/errors.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { ByteSource } from "../archive/byte-source.ts";
import { checkedBranch, isBranchName } from "../providers/branch-name.ts";
import type { HostedFile } from "../providers/dialect.ts";
import type { Listing } from "../providers/host-api.ts";
import type { BranchList, Head } from "../providers/repository-host.ts";
import type { FindLeftOut, Repository } from "../repository.ts";
import type { LeftOut } from "../repository-snapshot.ts";
import { Deadline } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { GitRemote } from "./git-remote.ts";
import { type GitToken, HttpsTransport } from "./https-transport.ts";
import { withSnapshotArchive } from "./snapshot-archive.ts";
import { snapshotFiles } from "./snapshot-files.ts";
import { type SshIdentity, withSsh } from "./ssh-transport.ts";
import type { LeftOut as LeftOutEntries } from "./tree-files.ts";
import { type Transport, UploadPack } from "./upload-pack.ts";

export interface GitRepositoryProps {
  readonly remote: GitRemote;
  readonly outbound: Outbound;
  /** For https. */
  readonly token?: GitToken;
  /** For SSH, which has no access for strangers. */
  readonly ssh?: SshIdentity;
  /** Time for everything that is asked through this object; never more than five minutes. @default 300,000 */
  readonly budgetMs?: number;
}

const branchesMax = 10_000;

/**
 * A repository at any git host, over HTTPS or SSH. All methods throw SluiceError repository_* and outbound_*; none of them repeats what the
 * host said. Reading is all they do, so each may be repeated.
 */
export class GitRepository implements Repository {
  readonly #props: GitRepositoryProps;
  readonly #host: string;
  readonly #deadline: Deadline;

  constructor(props: GitRepositoryProps) {
    this.#props = props;
    this.#host = props.remote.host;
    this.#deadline = new Deadline(this.#host, Math.min(props.budgetMs ?? gitLimits.totalMs, gitLimits.totalMs));
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

  /**
   * Finds the newest commit of a branch, of the default branch when none is named. Never another branch than the one asked for.
   * @throws SluiceError repository_branch_invalid, repository_branch_not_found
   */
  async head(branch?: string): Promise<Head> {
    return this.#connect((uploadPack) => headOf(uploadPack, branch));
  }

  /** Lists the files of a head; links, submodules and names that no archive may have are left out. */
  async files({ commit }: Head): Promise<Listing<HostedFile>> {
    return this.#connect((uploadPack) => snapshotFiles(uploadPack, commit, this.#fetchProps));
  }

  /**
   * Fetches exactly the commit of a head and lends it as an archive; it is gone afterwards. It has to pass `buildManifest` as any upload
   * does. Servers that speak version 0 have only the newest commit of a branch: repository_answer_unexpected says that another was pushed
   * since.
   * @throws SluiceError repository_too_large, repository_damaged; what `use` throws passes unchanged
   */
  async archive<T>({ commit }: Head, use: (archive: ByteSource, leftOut: FindLeftOut) => Promise<T>): Promise<T> {
    return this.#connect((uploadPack) =>
      withSnapshotArchive(uploadPack, commit, this.#fetchProps, ({ archive, leftOut }) =>
        use(archive, async () => warned(leftOut)),
      ),
    );
  }

  get #fetchProps() {
    return { host: this.#host, deadline: this.#deadline };
  }

  async #connect<T>(use: (uploadPack: UploadPack) => Promise<T>): Promise<T> {
    const { remote, outbound, token, ssh } = this.#props;
    const open = async (transport: Transport) => use(await UploadPack.open(transport));
    if (remote.kind === "https") return open(new HttpsTransport(remote, outbound, token, this.#deadline));
    if (ssh === undefined) throw new SluiceError("repository_key_missing", { host: remote.host });
    return withSsh(remote, ssh, outbound, this.#deadline, open);
  }
}

/** We made the archive of the tree itself, so all that it lacks was left out by us. What a link points to is a file itself, or none of it. */
const warned = ({ submodules, specialModes, names, paths }: LeftOutEntries): LeftOut => ({
  paths: [...paths],
  count: submodules + specialModes + names,
  listingIncomplete: false,
});

async function headOf(uploadPack: UploadPack, branch: string | undefined): Promise<Head> {
  const wanted = branch === undefined ? undefined : checkedBranch(branch);
  const { branches, defaultBranch } = await uploadPack.refs(wanted);
  const name = wanted ?? defaultBranch;
  const commit = name === null ? undefined : branches.get(name);
  if (name === null || commit === undefined)
    throw new SluiceError("repository_branch_not_found", { branch: name ?? "HEAD" });
  return { branch: checkedBranch(name), commit };
}
