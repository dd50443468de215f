import type { IncomingHttpHeaders } from "node:http2";

/** What a caller sends along with a call. Keys that end in `-bin` have bytes, which travel as base64; all others have text. */
export interface CallMetadata {
  /** All values of a key, in lower case; none when it was not sent. */
  get(key: string): readonly (string | Buffer)[];
}

/** The metadata of a request, read from its headers where somebody asks for it. */
export class RequestMetadata implements CallMetadata {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(key: string): readonly (string | Buffer)[] {
    const given = this.#headers[key];
    if (given === undefined) return [];
    const values = Array.isArray(given) ? given : [given];
    if (!key.endsWith("-bin")) return values;
    // Several values come in one header, and base64 has no comma.
    return values.flatMap((value) => value.split(",").map((one) => Buffer.from(one.trim(), "base64")));
  }

  /** The keys that begin with a prefix. */
  keys(prefix: string): string[] {
    const found: string[] = [];
    for (const key in this.#headers) if (key.startsWith(prefix)) found.push(key);
    return found;
  }
}
