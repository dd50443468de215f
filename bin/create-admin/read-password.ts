import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

export interface PasswordSource {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Where questions go; standard output stays free for the result. */
  readonly stderr: NodeJS.WritableStream;
}

/** The person changed their mind: Ctrl-C or the end of the input. */
export class NoPassword extends Error {}

/**
 * Asks for a password on the terminal, twice and without showing it; anywhere else reads the first line of standard input.
 * @throws NoPassword, or Error when the two do not agree
 */
export async function readPassword(source: PasswordSource): Promise<string> {
  const { stdin, stderr } = source;
  // readline shows what is typed by writing it to its output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  const lines = linesOf(reader);
  try {
    if (!stdin.isTTY) return await lines();
    stderr.write("Password: ");
    const first = await lines();
    stderr.write("\nOnce more: ");
    const second = await lines();
    if (first !== second) throw new Error("The two passwords are not the same.");
    return first;
  } finally {
    if (stdin.isTTY) stderr.write("\n");
    reader.close();
  }
}

/** Next line, in order, also when several arrive at once as from a pipe or a pasted text. */
function linesOf(reader: ReturnType<typeof createInterface>): () => Promise<string> {
  const iterator = reader[Symbol.asyncIterator]();
  reader.on("SIGINT", () => reader.close());
  return async () => {
    const { value, done } = await iterator.next();
    if (done) throw new NoPassword("No password was given.");
    return value;
  };
}
