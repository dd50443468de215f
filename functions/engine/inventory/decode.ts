/** Decodes a source file. Never fails: the last resort gives each byte a character, so that positions stay true. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return (
    strictly("utf-8", bytes) ??
    (looksDoubleByte(bytes) ? strictly("gb18030", bytes) : null) ??
    new TextDecoder("windows-1252").decode(bytes)
  );
}

function strictly(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Chinese text has high bytes in runs of even length; accented letters of Western text stand alone. */
function looksDoubleByte(bytes: Uint8Array): boolean {
  let run = 0;
  for (const byte of bytes) {
    if (byte >= 0x80) run++;
    else if (run % 2 === 1) return false;
    else run = 0;
  }
  return run % 2 === 0;
}

/** A NUL in the first 8 KiB means binary, as in git; UTF-16 is full of them and says so by its first two bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  const marked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !marked && bytes.subarray(0, 8_192).includes(0);
}
