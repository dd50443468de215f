import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { S3Error } from "./s3-error.ts";

/** A form up to its file, which is still to be read. */
export interface PostForm {
  /** The fields before the file, names in lower case; S3 ignores what comes after it. */
  readonly fields: ReadonlyMap<string, string>;
  readonly fileName: string;
  /** Ends without an error only when the form has ended as it must. */
  readonly file: AsyncIterable<Buffer>;
}

/** S3 takes this much before the file, all fields together. */
const fieldBytesMax = 20 * 1024;
const fieldsMax = 100;

/**
 * Reads a form up to its file and hands the file on as a stream.
 * @throws S3Error MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument when there is no file
 */
export function readPostForm(request: IncomingMessage): Promise<PostForm> {
  const parser = startParser(request);
  const fields = new Map<string, string>();
  let bytes = 0;
  return new Promise<PostForm>((resolve, reject) => {
    const finished = new Promise<void>((resolveEnd, rejectEnd) => {
      const stop = (error: S3Error) => {
        request.unpipe(parser);
        rejectEnd(error);
        reject(error);
      };
      parser.on("field", (name, value, isNameCut, isValueCut) => {
        bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
        if (isNameCut || isValueCut || bytes > fieldBytesMax) stop(new S3Error("MaxPostPreDataLengthExceeded"));
        else if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value);
      });
      for (const limit of ["fieldsLimit", "partsLimit"] as const) {
        parser.on(limit, () => stop(new S3Error("MaxPostPreDataLengthExceeded")));
      }
      parser.on("error", () => stop(new S3Error("MalformedPOSTRequest")));
      parser.on("finish", () => {
        resolveEnd();
        reject(fileMissing());
      });
      parser.on("file", (_, file, fileName) => {
        // What busboy reports of a broken form goes to the file while that is being read.
        file.on("error", () => stop(new S3Error("MalformedPOSTRequest")));
        request.once("close", () => request.complete || file.destroy(new S3Error("IncompleteBody")));
        const before = new Map(fields);
        resolve({ fields: before, fileName, file: untilFinished(file, finished) });
      });
    });
    finished.catch(() => {}); // Whoever reads the file sees it; nobody may be there yet.
    request.once("close", () => request.complete || reject(new S3Error("IncompleteBody")));
    request.pipe(parser);
  });
}

function startParser(request: IncomingMessage) {
  try {
    return new Busboy({
      headers: { ...request.headers, "content-type": request.headers["content-type"]! },
      isPartAFile: (name) => name?.toLowerCase() === "file",
      limits: { files: 1, fields: fieldsMax, fieldSize: fieldBytesMax, headerPairs: 32 },
      highWaterMark: 256 * 1024,
      fileHwm: 256 * 1024,
    });
  } catch {
    throw new S3Error("MalformedPOSTRequest");
  }
}

async function* untilFinished(file: Readable, finished: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  } catch (error) {
    throw error instanceof S3Error ? error : new S3Error("MalformedPOSTRequest");
  }
  await finished;
}

const fileMissing = () =>
  new S3Error("InvalidArgument", {
    message: "POST requires exactly one file upload per request.",
    fields: { ArgumentName: "file", ArgumentValue: "0" },
  });
