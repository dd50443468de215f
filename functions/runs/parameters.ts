import * as z from "zod";

/** One version of a run's parameters. Versions count from 1; the bytes of one never change. */
export const Parameters = z.object({
  version: z.number().int().min(1),
  /** Where the bytes lie in the results bucket. */
  objectKey: z.string(),
  bytes: z.number().int().min(0),
  crc32c: z.number().int(),
  createdAt: z.iso.datetime(),
});
export type Parameters = z.infer<typeof Parameters>;

/** For conditional requests. */
export const etagOf = ({ version }: Parameters): string => `"${version}"`;

/**
 * How long bytes stay after the next version came: an actor behind a thin line that has just been told about a version, 20 MB of it, must
 * be able to fetch it to the end. At a version every 4 s this keeps 900 of them.
 */
export const supersededSeconds = 3600;

/**
 * Versions that nobody needs any more.
 * @param versions in order, without a gap
 */
export function outdated(versions: readonly Parameters[], now: Date): Parameters[] {
  return versions.filter((_, index) => {
    const next = versions[index + 1];
    return next !== undefined && Date.parse(next.createdAt) + supersededSeconds * 1000 < now.getTime();
  });
}
