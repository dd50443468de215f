import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** CloudWatch takes 256 KB an event. A longer line is cut up: a stream without line ends must not fill our memory. */
const lineCharactersMax = 256 * 1024;

/** Calls `take` with each line of a stream, without its line end; also with a last one that has none. */
export function eachLine(input: Readable, take: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  input.on("data", (part: Buffer) => {
    const lines = (rest + decoder.write(part)).split(/\r?\n/);
    rest = lines.pop()!;
    for (; rest.length > lineCharactersMax; rest = rest.slice(lineCharactersMax))
      lines.push(rest.slice(0, lineCharactersMax));
    for (const line of lines) take(line);
  });
  input.on("end", () => {
    rest += decoder.end();
    if (rest !== "") take(rest);
  });
}
