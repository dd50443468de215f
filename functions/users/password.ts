import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { isCommonPassword } from "./common-passwords.ts";

/**
 * scrypt in PHC form, `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, with the parameters OWASP recommends:
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const current = { ln: 17, r: 8, p: 1 } as const;
const hashBytes = 32;
const saltBytes = 16;
/** Bytes of a password after normalisation: short ones are guessed, long ones only cost hashing time. */
export const passwordBytes = { min: 8, max: 1024 } as const;

/**
 * A password that somebody chooses. What guessers try first is refused, composition rules are not made:
 * https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver. The texts are Chinese as those of all operations that take one.
 */
export const NewPassword = z
  .string()
  .refine(
    (password) => {
      const bytes = Buffer.byteLength(password.normalize("NFKC"));
      return bytes >= passwordBytes.min && bytes <= passwordBytes.max;
    },
    { error: `密码长度应为 ${passwordBytes.min} 到 ${passwordBytes.max} 字节`, abort: true },
  )
  .refine((password) => !isCommonPassword(password), { error: "该密码过于常见，请换一个" })
  .meta({ format: "password", description: `${passwordBytes.min} to ${passwordBytes.max} bytes, no common password` });

interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface StoredHash {
  readonly parameters: Parameters;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** @returns a PHC string with a salt of its own */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return format(current, salt, await derive(password, salt, current));
}

/** Compares in constant time, and takes as long against an older, cheaper hash as against a current one. A hash that cannot be read matches nothing. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const read = readHash(stored);
  if (!read) return false;
  const { parameters, salt, hash } = read;
  const given = await derive(password, salt, parameters);
  for (const ln of workToMakeUp(parameters.ln)) await derive(password, salt, { ...parameters, ln });
  return given.length === hash.length && timingSafeEqual(given, hash);
}

/** True for a hash that should be made anew at the next chance, which is when its owner signs in. */
export function isOutdated(stored: string): boolean {
  const { ln, r, p } = readHash(stored)?.parameters ?? current;
  return ln !== current.ln || r !== current.r || p !== current.p;
}

/**
 * The exponents whose work, added to that of `ln`, is the work of the current one: 2^ln + 2^ln + ... + 2^16 = 2^17. Without it, a quick
 * refusal would tell that the address has an account, and an old one.
 */
export const workToMakeUp = (ln: number): number[] =>
  Array.from({ length: Math.max(0, current.ln - ln) }, (_, step) => ln + step);

/**
 * A hash that nobody knows the password of. Login compares with it when there is no such user, so that an unknown address takes as long as a wrong password.
 */
export const unmatchableHash = format(current, Buffer.alloc(saltBytes, 7), Buffer.alloc(hashBytes, 7));

function readHash(stored: string): StoredHash | null {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w+/=]+)\$([\w+/=]+)$/.exec(stored);
  if (!parts) return null;
  const [, ln, r, p, salt = "", hash = ""] = parts;
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

function derive(password: string, salt: Buffer, { ln, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses more than 32 MiB unless told; scrypt needs 128 * N * r bytes.
  const maxmem = 128 * N * r + 1024 * 1024;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, hashBytes, { N, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function format({ ln, r, p }: Parameters, salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64")}$${hash.toString("base64")}`;
}
