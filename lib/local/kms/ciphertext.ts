import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AwsError } from "../service.ts";
import { isKeyId, type Key } from "./key.ts";

/** Names and values that have to be the same when the text is decrypted; they are authenticated, not stored. */
export type EncryptionContext = Readonly<Record<string, string>>;

/** Which key a ciphertext was made with. */
export interface CiphertextOrigin {
  readonly keyId: string;
  /** Counts from 0. */
  readonly version: number;
}

interface Parsed extends CiphertextOrigin {
  readonly header: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly body: Buffer;
}

const formatByte = 1;
const ivBytes = 12;
const tagBytes = 16;

/** Layout: format byte, length of the key id, key id, version (4 bytes), IV, tag, AES-256-GCM of the text. */
export function encrypt(key: Key, plaintext: Buffer, context: EncryptionContext): Buffer {
  const version = key.versions.length - 1;
  const id = Buffer.from(key.keyId);
  const header = Buffer.concat([Buffer.from([formatByte, id.length]), id, Buffer.alloc(4)]);
  header.writeUInt32BE(version, header.length - 4);
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", materialOf(key, version), iv);
  cipher.setAAD(authenticated(header, context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([header, iv, cipher.getAuthTag(), body]);
}

/** @throws AwsError InvalidCiphertextException when the text or the context is not what it was */
export function decrypt(key: Key, ciphertext: Buffer, context: EncryptionContext): Buffer {
  const { header, version, iv, tag, body } = parse(ciphertext);
  if (version >= key.versions.length) throw invalid();
  const decipher = createDecipheriv("aes-256-gcm", materialOf(key, version), iv, { authTagLength: tagBytes });
  decipher.setAAD(authenticated(header, context));
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw invalid();
  }
}

/** @throws AwsError InvalidCiphertextException */
export const originOf = (ciphertext: Buffer): CiphertextOrigin => parse(ciphertext);

function parse(ciphertext: Buffer): Parsed {
  const idEnd = 2 + (ciphertext[1] ?? 0);
  const headerEnd = idEnd + 4;
  const bodyStart = headerEnd + ivBytes + tagBytes;
  const keyId = ciphertext.toString("latin1", 2, idEnd);
  if (ciphertext[0] !== formatByte || ciphertext.length < bodyStart || !isKeyId(keyId)) throw invalid();
  return {
    header: ciphertext.subarray(0, headerEnd),
    keyId,
    version: ciphertext.readUInt32BE(idEnd),
    iv: ciphertext.subarray(headerEnd, headerEnd + ivBytes),
    tag: ciphertext.subarray(headerEnd + ivBytes, bodyStart),
    body: ciphertext.subarray(bodyStart),
  };
}

/** The order of the pairs does not matter to KMS. JSON keeps names and values apart, whatever is in them. */
function authenticated(header: Buffer, context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([header, Buffer.from(JSON.stringify(pairs))]);
}

const materialOf = (key: Key, version: number) => Buffer.from(key.versions[version]!.material, "base64");

/** KMS says no more than this, so that nobody learns which part was wrong. */
const invalid = () => new AwsError("InvalidCiphertextException", "The ciphertext is invalid.");
