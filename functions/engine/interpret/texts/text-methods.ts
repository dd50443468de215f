type Folded = string | number | boolean | undefined;
const lower = (text: string): Folded => text.toLowerCase();
const upper = (text: string): Folded => text.toUpperCase();
/** Bytes and characters of a known text are as known as the text. */
const same = (text: string): Folded => text;
const trim = (text: string): Folded => text.trim();
/** What string methods give on constants, by name across languages; undefined where the arguments do not fit. */
export const textMethods: Record<
  string,
  (text: string, args: readonly (string | number | boolean | null)[]) => Folded
> = {
  toLowerCase: lower,
  lower,
  toUpperCase: upper,
  upper,
  trim,
  strip: trim,
  charAt: (text, [at]) => (typeof at === "number" ? text.charAt(at) : undefined),
  startsWith: (text, [start]) => (typeof start === "string" ? text.startsWith(start) : undefined),
  endsWith: (text, [end]) => (typeof end === "string" ? text.endsWith(end) : undefined),
  concat: (text, args) => text + args.join(""),
  getBytes: same,
  toByteArray: same,
  encode: same,
  toCharArray: same,
  toString: same,
  intern: same,
  length: (text, args) => (args.length === 0 ? text.length : undefined),
  equals: (text, [other]) => text === other,
  equalsIgnoreCase: (text, [other]) =>
    typeof other === "string" ? text.toLowerCase() === other.toLowerCase() : undefined,
  isEmpty: (text, args) => (args.length === 0 ? text === "" : undefined),
  slice: (text, [from, to, step]) =>
    typeof (from ?? 0) === "number" && typeof (to ?? 0) === "number" && step === undefined
      ? text.slice((from ?? 0) as number, (to ?? undefined) as number | undefined)
      : undefined,
  substring: (text, [from, to]) =>
    typeof from === "number" ? text.substring(from, typeof to === "number" ? to : undefined) : undefined,
};
