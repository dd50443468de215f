import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { UploadedFile } from "./contract.ts";
import { SluiceError } from "./errors.ts";

/** Text fields of a multipart form; the file itself is bounded by API Gateway. */
const formFieldBytesMax = 1024 * 1024;

/** @throws SluiceError for a field that is too large, and the parser's own error for what is no form */
export async function readForm(bytes: Buffer, contentType: string): Promise<Record<string, string | UploadedFile>> {
  const fields: Record<string, string | UploadedFile> = Object.create(null);
  const parser = new Busboy({
    headers: { "content-type": contentType },
    limits: { files: 1, fields: 20, fieldSize: formFieldBytesMax, parts: 25 },
  });
  parser.on("field", (name, value, _, cut) => {
    if (cut)
      parser.destroy(new SluiceError("payload_too_large", { limit: `${formFieldBytesMax} bytes in field ${name}` }));
    else fields[name] = value;
  });
  parser.on("file", (name, stream, filename) => {
    const parts: Buffer[] = [];
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => {
      fields[name] = { filename, bytes: Buffer.concat(parts) };
    });
  });
  await pipeline(Readable.from([bytes]), parser);
  return { ...fields };
}
