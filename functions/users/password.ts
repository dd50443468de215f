import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/**
 * scrypt in PHC form, `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, with the parameters OWASP recommends:
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const current = { ln: 17, r: 8, p: 1 } as const;
const hashBytes = 32;
const saltBytes = 16;
/** Bytes of a password after normalisation: short ones are guessed, long ones only cost hashing time. */
export const passwordBytes = { min: 8, max: 1024 } as const;

interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return format(current, salt, await derive(password, salt, current));
}

/** Compares in constant time. A hash that cannot be read matches nothing. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/=]+)\$([\w+/=]+)$/.exec(hash);
  if (!parts) return false;
  const parameters = { ln: Number(parts[1]), r: Number(parts[2]), p: Number(parts[3]) };
  const expected = Buffer.from(parts[5] as string, "base64");
  const given = await derive(password, Buffer.from(parts[4] as string, "base64"), parameters);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * A hash that nobody knows the password of. Login compares with it when there is no such user, so that an unknown address takes as long as a wrong password.
 */
export const unmatchableHash = format(current, Buffer.alloc(saltBytes, 7), Buffer.alloc(hashBytes, 7));

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
