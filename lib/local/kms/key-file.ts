import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Key } from "./key.ts";

const KeyFileContent = z.object({
  format: z.literal(1),
  keys: z.array(
    z.object({
      keyId: z.string(),
      spec: z.enum(["SYMMETRIC_DEFAULT", "ECC_NIST_P256"]),
      usage: z.enum(["ENCRYPT_DECRYPT", "SIGN_VERIFY"]),
      rotation: z.boolean(),
      state: z.enum(["Enabled", "Disabled", "PendingDeletion"]),
      deletionDate: z.iso.datetime().nullable(),
      versions: z.array(z.object({ created: z.iso.datetime(), material: z.base64() })).min(1),
    }),
  ),
  /** Key id by alias name. */
  aliases: z.record(z.string(), z.string()),
});

/**
 * The keys of this machine, in one file that only its owner can read. It is replaced as a whole, so a crash leaves the old
 * or the new one; a file that cannot be read is an error, because to begin anew would be to lose every secret.
 */
export class KeyFile {
  readonly #folder: string;
  readonly #keys = new Map<string, Key>();
  readonly #aliases = new Map<string, string>();

  /** @throws Error when there is a file that is not ours or is damaged */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const text = readIfThere(this.#path);
    if (text === null) return;
    const content = KeyFileContent.parse(JSON.parse(text));
    for (const key of content.keys) this.#keys.set(key.keyId, key);
    for (const [alias, keyId] of Object.entries(content.aliases)) this.#aliases.set(alias, keyId);
  }

  key(keyId: string): Key | undefined {
    return this.#keys.get(keyId);
  }

  keys(): Key[] {
    return [...this.#keys.values()];
  }

  /** Key ids by alias, sorted by name. */
  aliases(): [alias: string, keyId: string][] {
    return [...this.#aliases].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  aliasTarget(alias: string): string | undefined {
    return this.#aliases.get(alias);
  }

  /** Durable when this returns. */
  putKey(key: Key): void {
    this.#keys.set(key.keyId, key);
    this.#write();
  }

  putAlias(alias: string, keyId: string): void {
    this.#aliases.set(alias, keyId);
    this.#write();
  }

  /** Forgets a key with its material and aliases, for good. */
  removeKey(keyId: string): void {
    this.#keys.delete(keyId);
    for (const [alias, target] of this.#aliases) if (target === keyId) this.#aliases.delete(alias);
    this.#write();
  }

  get #path(): string {
    return join(this.#folder, "keys.json");
  }

  #write(): void {
    const content = { format: 1, keys: this.keys(), aliases: Object.fromEntries(this.#aliases) };
    const temporary = `${this.#path}.new`;
    writeFileSync(temporary, JSON.stringify(content, null, 2), { mode: 0o600, flush: true });
    renameSync(temporary, this.#path);
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder);
    closeSync(folder);
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
