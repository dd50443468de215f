/** Texts that are kept; beyond, all begins anew. */
const internedMax = 20_000;
/** UTF-16 units of a text that is kept: longer ones are no names. */
const lengthMax = 60;

const interned = new Map<string, string>();

/**
 * The one string that stands for all of this text, in all files: names are looked up in maps all the time, and there the very same string
 * is found without computing its hash or comparing its characters.
 */
export function intern(text: string): string {
  if (text.length > lengthMax) return text;
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= internedMax) interned.clear();
  const own = apart(text);
  interned.set(own, own);
  return own;
}

/** A string of its own: a part of a file's text would keep all of it in memory. What is joined is copied as soon as a part of it is asked for. */
export const apart = (text: string): string => ` ${text}`.slice(1);
