import { Readable } from "node:stream";
import yauzl from "yauzl";
import { isSluiceError, SluiceError } from "../../platform/errors.ts";
import { type ByteSource, blockSource, slices } from "./byte-source.ts";

/** Lets yauzl read from a byte source, in blocks. */
export class SourceReader extends yauzl.RandomAccessReader {
  readonly #source: ByteSource;
  #failure: unknown;

  constructor(source: ByteSource) {
    super();
    this.#source = blockSource(source);
  }

  /** Opens the archive: reads the tail only. The caller closes it. */
  async open(): Promise<yauzl.ZipFile> {
    const options = { decodeStrings: false, autoClose: false };
    return yauzl.fromRandomAccessReaderPromise(this, this.#source.size, options).catch((error) => {
      throw this.explain(error);
    });
  }

  /**
   * What an error out of yauzl means: a failure of the source (a range request) is not the archive's fault and passes as it was; all else
   * is a refusal of the archive.
   */
  explain(error: unknown): unknown {
    if (this.#failure !== undefined) return this.#failure;
    return isSluiceError(error) ? error : new SluiceError("zip_directory_broken", { at: 0 }, error);
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#source.read(position, length).then(
      (bytes) => done(null, bytes.copy(target, offset)),
      (error) => {
        this.#failure = error;
        done(error);
      },
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#slices(start, end), { objectMode: false });
  }

  async *#slices(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* slices(this.#source, start, end);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
