import { createPrivateKey, type KeyObject } from "node:crypto";

/**
 * A private key in a form that ssh2 reads. PKCS#8, in which keys are stored, is none: RSA becomes PKCS#1, Ed25519 the format of OpenSSH.
 * Whatever else it is stays as it is, for ssh2 to read or to refuse.
 */
export function sshKeyText(privateKey: string): string {
  if (!privateKey.trimStart().startsWith("-----BEGIN PRIVATE KEY-----")) return privateKey;
  const key = createPrivateKey(privateKey);
  if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs1", format: "pem" }).toString();
  return key.asymmetricKeyType === "ed25519" ? openSshText(key) : privateKey;
}

const blockBytes = 8;

/** https://cvsweb.openbsd.org/src/usr.bin/ssh/PROTOCOL.key, without encryption: the text never leaves this process. */
function openSshText(key: KeyObject): string {
  const { d = "", x = "" } = key.export({ format: "jwk" });
  const type = sized("ssh-ed25519");
  const publicKey = Buffer.from(x, "base64url");
  // Two equal numbers show a reader that decrypting worked; here nothing is decrypted.
  const check = Buffer.alloc(2 * 4);
  const secret = sized(Buffer.concat([Buffer.from(d, "base64url"), publicKey]));
  const record = Buffer.concat([check, type, sized(publicKey), secret, sized("")]);
  const padding = Buffer.from(Array.from({ length: -record.length & (blockBytes - 1) }, (_, at) => at + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const text = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    sized("none"),
    sized("none"),
    sized(""),
    one,
    sized(Buffer.concat([type, sized(publicKey)])),
    sized(Buffer.concat([record, padding])),
  ]).toString("base64");
  return [
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    ...(text.match(/.{1,70}/g) ?? []),
    "-----END OPENSSH PRIVATE KEY-----",
    "",
  ].join("\n");
}

function sized(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
