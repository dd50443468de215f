/** Each name that stands before an equals sign, such as `name = x` and `name += x`, and where it does. */
export function assignmentsIn(text: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (let sign = text.indexOf("="); sign >= 0; sign = text.indexOf("=", sign + 1)) {
    if (noAssignment.has(text[sign + 1] ?? "")) continue;
    let end = sign;
    for (let operators = 0; operators < 2 && combined.has(text[end - 1] ?? ""); operators++) end--;
    while (isSpace(text.charCodeAt(end - 1))) end--;
    let start = end;
    while (isNamePart(text.charCodeAt(start - 1))) start--;
    if (start === end) continue;
    const name = text.slice(start, end);
    const places = found.get(name);
    if (places) places.push(start);
    else found.set(name, [start]);
  }
  return found;
}

const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));

const isNamePart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 36;

/** What makes an equals sign something else: `==`, `=>`, `=~`. */
const noAssignment = new Set(["=", ">", "~"]);
/** What stands before the equals sign where the old value is a part of the new one. */
const combined = new Set("-+*/|&.?%");
