import { environment } from "../platform/environment.ts";
import { getJson } from "../platform/object-store.ts";
import type { Project } from "../projects/project.ts";
import type { Manifest } from "./archive/manifest.ts";
import { openRepository, repositoryOf } from "./project-repository.ts";
import { findSnapshotOf } from "./repository-snapshot-store.ts";
import type { Candidate } from "./selection.ts";
import { readManifest, readStoredZip } from "./stored-zip-store.ts";

/** All files of a project, before exclusions. */
export interface ProjectFiles {
  readonly files: readonly Candidate[];
  /** The single top folder of the archive, which is no part of their paths, or "". */
  readonly root: string;
  /** True when the host does not list all of them. */
  readonly truncated: boolean;
}

/**
 * Lists the files that a scan would choose from: of the stored ZIP, none where none is stored; of a repository those of the branch, the
 * project's default branch if none is named. A missing branch is an error, never another branch.
 * @throws SluiceError repository_*, outbound_*, secret_unreadable
 */
export async function filesOfProject(project: Project, callerId: string, branch?: string): Promise<ProjectFiles> {
  if (project.sourceType === "repository") return filesOfRepository(project, callerId, branch);
  const zip = await readStoredZip(project.id);
  if (!zip) return { files: [], root: "", truncated: false };
  const { files, root } = await readManifest(zip);
  return { files, root, truncated: false };
}

/** The host is asked in any case, with the caller's token. What was fetched of that very commit is more exact than its list. */
async function filesOfRepository(project: Project, callerId: string, branch?: string): Promise<ProjectFiles> {
  const ref = repositoryOf(project, branch);
  const repository = await openRepository(ref, callerId);
  const head = await repository.head(ref.branch);
  const snapshot = await findSnapshotOf(project.id, ref, head);
  const manifest =
    snapshot && (await getJson<Manifest>({ bucket: environment().SOURCES_BUCKET, key: snapshot.manifestKey }));
  if (manifest) return { files: manifest.files, root: manifest.root, truncated: false };
  const { items, truncated } = await repository.files(head);
  return { files: items.map((file) => ({ ...file, binary: false })), root: "", truncated };
}
