import { SluiceError } from "./errors.ts";
import { type Outbound, type OutboundAnswer, readAll } from "./outbound.ts";

export interface OutboundFetchProps {
  /** When everything has to be over, on the clock of `performance.now()`; several requests share it. */
  readonly deadlineAt: number;
  /** Most bytes of an answer. */
  readonly bytesMax: number;
}

/** What libraries read of an answer; a header that nobody reads needs not be kept. */
const keptHeaders = ["content-type", "retry-after", "retry-after-ms"] as const;

/** Statuses that a Response takes no body for. */
const bodiless = new Set([204, 205, 304]);

/**
 * A `fetch` for libraries that talk to hosts which users name: all of it goes through our outbound client, so what the client refuses, such
 * a library cannot reach either. It knows GET and POST with a body of text, and hands an answer over when its last byte is there.
 * @throws SluiceError outbound_*; the reason of the request's own signal
 */
export function outboundFetch(client: Outbound, { deadlineAt, bytesMax }: OutboundFetchProps): typeof fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("outboundFetch takes an address, not a Request");
    const { body } = init;
    if (body && typeof body !== "string") throw new TypeError("outboundFetch takes a body of text only");
    const request = {
      method: init.method?.toUpperCase() === "POST" ? ("POST" as const) : ("GET" as const),
      // Any header can hold a key, custom ones too.
      credentials: plainHeaders(init.headers, String(input)),
      ...(body && { body }),
      deadlineMs: Math.max(1, Math.ceil(deadlineAt - performance.now())),
      bytesMax,
      signal: init.signal ?? undefined,
    };
    return client.exchange(String(input), request, responseOf);
  };
}

function plainHeaders(headers: RequestInit["headers"], address: string): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The error of Headers has the value in its text, and that is the key.
    throw new SluiceError("outbound_credentials_malformed", { host: URL.parse(address)?.hostname ?? "" });
  }
}

async function responseOf(answer: OutboundAnswer): Promise<Response> {
  const { status, headers, url } = answer;
  const body = await readAll(answer);
  // Node takes any three digits for a status; a Response does not.
  if (status < 200 || status > 599)
    throw new SluiceError("outbound_unreachable", { host: url.hostname, reason: `HTTP ${status}` });
  const kept = keptHeaders.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : []));
  return new Response(bodiless.has(status) ? null : new Uint8Array(body), {
    status,
    headers: Object.fromEntries(kept),
  });
}
