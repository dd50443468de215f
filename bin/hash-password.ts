import { createInterface } from "node:readline/promises";
import { hashPassword, passwordBytes } from "../functions/users/password.ts";

/** Reads a password from the terminal or from standard input and prints its hash, for creating the first administrator of a deployed stack. */
const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
if (process.stdin.isTTY) process.stderr.write("Password (shown while you type): ");
const { value: password = "" } = await reader[Symbol.asyncIterator]().next();
reader.close();
const bytes = Buffer.byteLength(password.normalize("NFKC"));
if (bytes < passwordBytes.min || bytes > passwordBytes.max) {
  console.error(`A password takes ${passwordBytes.min} to ${passwordBytes.max} bytes.`);
  process.exit(2);
}
console.log(await hashPassword(password));
