/** Compares by UTF-16 units: the same on every machine, unlike any order that knows a language. */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
