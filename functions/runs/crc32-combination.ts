/** CRC-32's polynomial, reflected. */
const polynomial = 0xedb88320;
const one = 0x8000_0000;
/** Entry n is x to the power of 2^n. */
const squares = makeSquares();

/**
 * CRC-32 of two stretches of bytes behind one another, of which the second is not looked at again: 20 steps of arithmetic instead of a
 * pass over it.
 * @param first CRC-32 of the first stretch
 * @param second CRC-32 of the second
 * @param secondBytes its length
 * https://www.hackersdelight.org/hdcodetxt/crc.c.txt and Mark Adler's crc32_combine have the idea: appending n bytes multiplies by x^8n
 */
export function combinedCrc32(first: number, second: number, secondBytes: number): number {
  let shift = one;
  for (let n = 3, bytes = secondBytes; bytes > 0; n = (n + 1) & 31, bytes = Math.floor(bytes / 2))
    if (bytes % 2 === 1) shift = product(squares[n] as number, shift);
  return (product(shift, first) ^ second) >>> 0;
}

/** Of two polynomials, modulo CRC-32's. The highest bit is the lowest power. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return sum >>> 0;
}

function makeSquares(): number[] {
  const made = [0x4000_0000];
  for (let n = 1; n < 32; n++) made.push(product(made[n - 1] as number, made[n - 1] as number));
  return made;
}
