import { GetObjectCommand } from "@aws-sdk/client-s3";
import { type ObjectVersion, s3 } from "../platform/object-store.ts";
import type { ByteSource } from "./archive/byte-source.ts";

/** A stored object as a byte source, by range requests; the archive reader asks in large blocks. */
export const objectSource = ({ bucket, key, versionId }: ObjectVersion, size: number): ByteSource => ({
  size,
  async read(offset, length) {
    const range = `bytes=${offset}-${offset + length - 1}`;
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId, Range: range }),
    );
    return Buffer.from(await (Body as NonNullable<typeof Body>).transformToByteArray());
  },
});
