/**
 * Reads the operator's list of front ends that are served from elsewhere, "https://app.example.com, http://localhost:5173".
 * @throws Error naming the entry that is no origin
 */
export function parseOrigins(list: string): ReadonlySet<string> {
  const entries = list.split(",").map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== "").map(parseOrigin));
}

function parseOrigin(entry: string): string {
  const url = URL.parse(entry);
  if (url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(entry.toLowerCase()))
    return url.origin;
  throw new Error(`origins: "${entry}" is not a scheme and a host, such as https://app.example.com`);
}
