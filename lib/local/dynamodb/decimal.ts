/**
 * Exact arithmetic on numbers in plain notation ("-12.5"), which is how DynamoDB keeps its 38 digits; a double has 16.
 */
export const add = (a: string, b: string): string => combine(a, b, (x, y) => x + y);

export const subtract = (a: string, b: string): string => combine(a, b, (x, y) => x - y);

/** Below zero when a < b, above zero when a > b. */
export function compareNumbers(a: string, b: string): number {
  const difference = subtract(a, b);
  return difference === "0" ? 0 : difference.startsWith("-") ? -1 : 1;
}

function combine(a: string, b: string, operation: (x: bigint, y: bigint) => bigint): string {
  const places = Math.max(placesOf(a), placesOf(b));
  return format(operation(scaled(a, places), scaled(b, places)), places);
}

const placesOf = (digits: string): number => digits.split(".")[1]?.length ?? 0;

const scaled = (digits: string, places: number): bigint =>
  BigInt(digits.replace(".", "") + "0".repeat(places - placesOf(digits)));

function format(value: bigint, places: number): string {
  if (places === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}
