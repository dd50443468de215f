/**
 * True when a client has this very version already and wants no bytes: the header is a list of tags or a star, compared weakly.
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 * @param ifNoneMatch the header as it came
 * @param etag of ours, with its quotes
 */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === etag.replace(/^W\//, ""));
}
