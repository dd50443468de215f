import { createHash, type generateKeyPair as Generate, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import * as z from "zod";

export const SshKeyType = z.enum(["ed25519", "rsa"]);
export type SshKeyType = z.infer<typeof SshKeyType>;

/** The key pair with which Sluice signs in at a user's git hosts. */
export const SshKey = z.object({
  ownerId: z.uuid(),
  type: SshKeyType,
  /** One line as OpenSSH writes it, to be given to the git host. */
  publicKey: z.string(),
  fingerprint: z.string(),
  /** PKCS#8 PEM, encrypted for its owner and the field `sshPrivateKey`. */
  privateKey: z.string(),
  createdAt: z.iso.datetime(),
});
export type SshKey = z.infer<typeof SshKey>;

export interface GeneratedKey {
  readonly publicKey: string;
  readonly fingerprint: string;
  /** PKCS#8 PEM, in the clear: to be encrypted and forgotten. */
  readonly privateKey: string;
}

/** What the answer to every request about the key may show. */
export const PublicSshKeyView = z.object({ public_key: z.string(), fingerprint: z.string() });

const generate = promisify(generateKeyPair) as unknown as typeof Generate.__promisify__;

/** A new key pair: Ed25519, or RSA with 4096 bits for hosts that know nothing newer (seconds of computing). */
export async function generateSshKey(type: SshKeyType): Promise<GeneratedKey> {
  const { publicKey, privateKey } =
    type === "rsa" ? await generate("rsa", { modulusLength: 4096 }) : await generate("ed25519");
  const blob = publicBlob(type, publicKey);
  return {
    publicKey: `${algorithms[type]} ${blob.toString("base64")} sluice`,
    fingerprint: fingerprintOf(blob),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** As `ssh-keygen -l` shows it and git hosts list it. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;

const algorithms = { ed25519: "ssh-ed25519", rsa: "ssh-rsa" } as const;

/** The public key in the wire format of RFC 4253, section 6.6, and RFC 8709. */
function publicBlob(type: SshKeyType, key: KeyObject): Buffer {
  const { e = "", n = "", x = "" } = key.export({ format: "jwk" });
  const part = (base64url: string) => Buffer.from(base64url, "base64url");
  const fields = type === "rsa" ? [mpint(part(e)), mpint(part(n))] : [part(x)];
  return Buffer.concat([Buffer.from(algorithms[type]), ...fields].map(withLength));
}

/** RFC 4251, section 5: a number whose first bit is set gets a zero byte in front, or it would be negative. JWK has no leading zeros. */
const mpint = (bytes: Buffer): Buffer => ((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
