/**
 * Whether a text matches an IAM pattern, where `*` is any run of characters and `?` any one. Linear in the usual case and
 * never worse than the product of the lengths; a regular expression made from a policy would not promise that.
 */
export function globMatches(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let lastStar = -1;
  let retryFrom = 0;
  while (at < text.length) {
    if (pattern[inPattern] === "*") {
      lastStar = inPattern++;
      retryFrom = at;
    } else if (inPattern < pattern.length && (pattern[inPattern] === "?" || pattern[inPattern] === text[at])) {
      inPattern++;
      at++;
    } else if (lastStar >= 0) {
      inPattern = lastStar + 1;
      at = ++retryFrom;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}

/** Matches two ARNs section by section, as ArnLike does: a star never reaches across one of the first five colons. */
export function arnMatches(pattern: string, arn: string): boolean {
  if (pattern === "*") return true;
  const wanted = sections(pattern);
  const given = sections(arn);
  return wanted.length === 6 && given.length === 6 && wanted.every((part, i) => globMatches(part, given[i]!));
}

function sections(arn: string): string[] {
  const parts = arn.split(":");
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(":")];
}
