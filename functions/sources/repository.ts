import type { ByteSource } from "./archive/byte-source.ts";
import type { HostedFile } from "./providers/dialect.ts";
import type { Listing } from "./providers/host-api.ts";
import type { BranchList, Head } from "./providers/repository-host.ts";
import type { LeftOut } from "./repository-snapshot.ts";

/** Tells, once it is known which files an archive holds, what of its commit it lacks. */
export type FindLeftOut = (archived: readonly { readonly path: string }[]) => Promise<LeftOut>;

/**
 * What is asked of a repository, wherever it is and however it is reached. All methods throw SluiceError repository_* and outbound_*; none
 * of them repeats what a host said.
 */
export interface Repository {
  /** The default branch first. */
  branches(): Promise<BranchList>;
  /** The newest commit of a branch, of the default branch when none is named; never of another one. @throws repository_branch_not_found */
  head(branch?: string): Promise<Head>;
  files(head: Head): Promise<Listing<HostedFile>>;
  /** Lends the archive of exactly this commit; it is gone afterwards. What `use` throws passes unchanged. */
  archive<T>(head: Head, use: (archive: ByteSource, leftOut: FindLeftOut) => Promise<T>): Promise<T>;
}
