import * as z from "zod";

/** A direct upload that was announced and not yet finished. */
export const Upload = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  ownerId: z.uuid(),
  filename: z.string(),
  createdAt: z.iso.datetime(),
  /** Seconds since 1970. */
  expiresAt: z.number().int(),
});
export type Upload = z.infer<typeof Upload>;

/** The form may be sent for this long; a slow 500 MB upload that has begun by then still finishes. */
export const uploadFormSeconds = 15 * 60;
/** How long the upload may be finished after it was announced. */
export const uploadSeconds = 2 * 3600;
