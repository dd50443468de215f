import { createHash } from "node:crypto";

/** What identifies a finding across scans, see `fingerprintOf`. */
export interface Identity {
  family: string;
  path: string;
  /** Enclosing symbols as name/arity. */
  scope: string;
  anchor: string;
  /** The number among findings that are equal in all of the above, in source order. */
  sibling: number;
}

/** The published recipe: sha256("fp1" \0 family \0 path \0 scope \0 anchor \0 sibling), in hexadecimal. */
export function fingerprintOf({ family, path, scope, anchor, sibling }: Identity): string {
  return hash("fp1", family, path, scope, anchor, String(sibling));
}

/** The same without the path: finds a finding again after its file was moved. */
export function movedFingerprintOf({ family, scope, anchor, sibling }: Identity): string {
  return hash("fp1", family, scope, anchor, String(sibling));
}

const hash = (...parts: string[]) => createHash("sha256").update(parts.join("\0")).digest("hex");
