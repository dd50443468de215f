import * as z from "zod";
import type { Language } from "../platform/language.ts";

/** The ZIP a project keeps: which bytes, which manifest, and what the user called it. */
export const StoredZip = z.object({
  projectId: z.uuid(),
  ownerId: z.uuid(),
  originalFilename: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  files: z.number().int(),
  key: z.string(),
  /** Pins the archive: a scan that is running keeps reading it after it was replaced or deleted. */
  versionId: z.string().optional(),
  manifestKey: z.string(),
  /** The direct upload it came by: finishing that upload again answers with this archive. */
  uploadId: z.uuid().nullable(),
  uploadedAt: z.iso.datetime(),
});
export type StoredZip = z.infer<typeof StoredZip>;

export const StoredZipView = z.object({
  message: z.string(),
  original_filename: z.string(),
  file_size: z.number(),
  uploaded_at: z.string(),
  /** Files in the archive, before exclusions. */
  file_count: z.number(),
  sha256: z.string(),
});

export const storedZipView = (zip: StoredZip, language: Language): z.input<typeof StoredZipView> => ({
  message: language === "zh" ? "ZIP 文件已上传" : "The ZIP is stored",
  original_filename: zip.originalFilename,
  file_size: zip.bytes,
  uploaded_at: zip.uploadedAt,
  file_count: zip.files,
  sha256: zip.sha256,
});

export const zipKeys = {
  /** `id` is of one upload only, or who takes an archive away could take the same bytes from somebody who has just uploaded them again. */
  archive: (projectId: string, id: string) => `zips/${projectId}/${id}.zip`,
  /** Shared by equal archives: it is never taken away as long as there is the project. */
  manifest: (projectId: string, sha256: string) => `zips/${projectId}/${sha256}.manifest.json`,
  /** Where a direct upload lands until it has been checked; a lifecycle rule removes what nobody finishes. */
  quarantine: (projectId: string, uploadId: string) => `quarantine/${projectId}/${uploadId}`,
} as const;

/** Everything that is stored for a project, as prefixes. */
export const zipFolders = (projectId: string): string[] => [`zips/${projectId}/`, `quarantine/${projectId}/`];

/** The user's own name for the file, kept for display only; it never becomes a key or a path. */
export const displayName = (filename: string): string => (filename.split(/[\\/]/).pop() ?? "").slice(0, 255);
