/** A payload that tells who it is and whether it is whole: name, length, and filler that depends on the name. */
export function soakItem(name: string, bytes: number): Buffer {
  const head = `${name}|${bytes}|`;
  return Buffer.from(head.padEnd(bytes, fillerOf(name)));
}

/** @returns its name @throws Error when it is not as it was made */
export function nameOfItem(payload: Buffer): string {
  const [name = "", bytes = ""] = payload.toString("latin1", 0, 100).split("|", 2);
  if (!payload.equals(soakItem(name, Number(bytes))))
    throw new Error(`an item that nobody sent: ${name}, ${bytes} bytes`);
  return name;
}

const fillerOf = (name: string): string => String.fromCharCode(97 + (Number(name.split(":")[1]) % 26));
