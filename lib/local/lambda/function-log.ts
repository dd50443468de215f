import { appendFile, rename, stat } from "node:fs/promises";

/** One line of the log; `message` is what the function wrote, everything else is ours. */
export interface LogEntry {
  readonly function: string;
  readonly request_id: string | null;
  readonly stream: "stdout" | "stderr" | "runtime";
  readonly message: unknown;
}

/** Two files of this size are kept: enough for the story of a bad day, too little to fill a disk. */
const fileBytesMax = 10 * 1024 * 1024;
/** A function that writes faster than the disk loses lines, as it does on AWS; the log says how many. */
const pendingBytesMax = 4 * 1024 * 1024;
/** What all functions of this machine print, as JSON lines in one bounded file (`<path>`, before it `<path>.1`). */
export class FunctionLog {
  readonly #path: string;
  readonly #echo: ((line: string) => void) | undefined;
  #pending: string[] = [];
  #pendingBytes = 0;
  #dropped = 0;
  #fileBytes: number | undefined;
  #writing: Promise<void> | undefined;

  /** @param echo gets every line as well, for `npm start` on a terminal that asked for it */
  constructor(path: string, echo?: (line: string) => void) {
    this.#path = path;
    this.#echo = echo;
  }

  write(entry: LogEntry): void {
    const line = `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`;
    this.#echo?.(line.trimEnd());
    if (this.#pendingBytes > pendingBytesMax) {
      this.#dropped += 1;
      return;
    }
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    this.#writing ??= this.#writeOut();
  }

  /** Resolves when everything written so far is in the file. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** A log that cannot be written (full disk) must not stop the functions, so its errors end here. */
  async #writeOut(): Promise<void> {
    while (this.#pending.length > 0) {
      const text = this.#takePending();
      try {
        this.#fileBytes ??= await stat(this.#path)
          .then(({ size }) => size)
          .catch(() => 0);
        if (this.#fileBytes > fileBytesMax) {
          await rename(this.#path, `${this.#path}.1`);
          this.#fileBytes = 0;
        }
        await appendFile(this.#path, text, { mode: 0o600 });
        this.#fileBytes += Buffer.byteLength(text);
      } catch (error) {
        this.#echo?.(`The functions' log could not be written: ${String(error)}`);
      }
    }
    this.#writing = undefined;
  }

  #takePending(): string {
    const lost =
      this.#dropped > 0 ? `${JSON.stringify({ time: new Date().toISOString(), dropped: this.#dropped })}\n` : "";
    const text = this.#pending.join("") + lost;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#dropped = 0;
    return text;
  }
}
