/** The key by which a server is recognised. Kept per user: what one user trusts says nothing to another. */
export interface KnownHost {
  /** "hostname:port", the host name in lower case. */
  readonly host: string;
  /** Type and key as in a `known_hosts` file: "ssh-ed25519 AAAA…". */
  readonly key: string;
}

/** A host key of the wire as it is stored. The blob begins with the name of its type, preceded by a length. */
export function hostKeyText(blob: Buffer): string {
  const typeBytes = blob.length < 4 ? 0 : blob.readUInt32BE(0);
  return `${blob.subarray(4, 4 + typeBytes).toString("latin1")} ${blob.toString("base64")}`;
}

/** No SHA-1 and no DSA. */
const keyTypes: Readonly<Record<string, readonly string[]>> = {
  "ssh-ed25519": ["ssh-ed25519"],
  "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
  "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
  "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

/**
 * Signature algorithms to offer a server. A server has keys of several types; one that is known has to show a key of a known type, or
 * another of its keys would look like that of an impostor.
 */
export function hostKeyAlgorithms(known: readonly KnownHost[]): string[] {
  const types = known.map(({ key }) => key.split(" ")[0] ?? "").filter((type) => type in keyTypes);
  return [...new Set(types.length > 0 ? types : Object.keys(keyTypes))].flatMap((type) => keyTypes[type] ?? []);
}
