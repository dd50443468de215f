import { SluiceError } from "../platform/errors.ts";

/**
 * Reads what users write into the setting for headers of their own: a JSON object, or lines of `Name: value`.
 * @throws SluiceError llm_header_malformed, llm_header_refused naming the header
 */
export function customHeaders(text: string): Record<string, string> {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const given = trimmed.startsWith("{") ? ofJson(trimmed) : ofLines(trimmed);
  if (given.length > headersMax) throw new SluiceError("llm_header_malformed", { header: given[headersMax]![0] });
  for (const [name, value] of given) {
    // What HTTP calls a token, and visible ASCII: nothing that could end a line.
    if (!/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(name) || !/^[\x20-\x7e]{0,4000}$/.test(value))
      throw new SluiceError("llm_header_malformed", { header: name });
    if (isRefused(name.toLowerCase())) throw new SluiceError("llm_header_refused", { header: name });
  }
  return Object.fromEntries(given);
}

const headersMax = 50;

function ofJson(text: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => {
      if (typeof value === "object" && value !== null) throw new SluiceError("llm_header_malformed", { header: name });
      return [name, String(value ?? "").trim()];
    });
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    throw new SluiceError("llm_header_malformed", { header: text.slice(0, 20) });
  }
}

function ofLines(text: string): [string, string][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) throw new SluiceError("llm_header_malformed", { header: line.trim().slice(0, 20) });
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    });
}

/** What belongs to the connection, and what proves who asks: a key has a field of its own, where it is encrypted and bound to one origin. */
const refused = new Set([
  "accept-encoding",
  "api-key",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-api-key",
  "x-goog-api-key",
]);

const isRefused = (name: string): boolean => refused.has(name) || /^(?:proxy-|x-amz-|sec-)/.test(name);
