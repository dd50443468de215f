import { AwsError } from "../service.ts";
import {
  aliasArn,
  currentVersion,
  type Key,
  type KeyUsage,
  keyArn,
  localName,
  newVersion,
  requireEnabled,
  requireUsage,
} from "./key.ts";
import type { KeyFile } from "./key-file.ts";

/** The keys as they are now: deleted ones gone when their day has come, names resolved, states checked. */
export class KeyRing {
  readonly file: KeyFile;
  readonly now: () => Date;

  constructor(file: KeyFile, now: () => Date) {
    this.file = file;
    this.now = now;
  }

  /** The key with this id, or undefined when there is none, or none any more. */
  find(keyId: string): Key | undefined {
    const key = this.file.key(keyId);
    if (!key?.deletionDate || new Date(key.deletionDate) > this.now()) return key;
    this.file.removeKey(keyId);
    return undefined;
  }

  /**
   * The key id behind a key id, a key ARN, an alias or an alias ARN; the key may still be missing.
   * @throws AwsError NotFoundException for an alias that is not there
   */
  idOf(name: string): string {
    const local = localName(name);
    if (!local.startsWith("alias/")) return local;
    const keyId = this.file.aliasTarget(local);
    if (keyId === undefined) throw new AwsError("NotFoundException", `Alias ${aliasArn(local)} is not found.`);
    return keyId;
  }

  /** @throws AwsError NotFoundException */
  key(name: string): Key {
    const keyId = this.idOf(name);
    const key = this.find(keyId);
    if (!key) throw new AwsError("NotFoundException", `Key '${keyArn(keyId)}' does not exist`);
    return key;
  }

  /** @throws AwsError NotFoundException, DisabledException, KMSInvalidStateException, InvalidKeyUsageException */
  usable(name: string, usage: KeyUsage): Key {
    const key = this.key(name);
    requireEnabled(key);
    requireUsage(key, usage);
    return key;
  }

  /** Adds new material. What was encrypted under the older keeps it. */
  rotate(key: Key): void {
    this.file.putKey({ ...key, versions: [...key.versions, newVersion(key.spec, this.now())] });
  }

  /** Renews the material of the keys that are to rotate and have not for a year. */
  rotateDue(): void {
    const limit = this.now().getTime() - rotationDays * 24 * 3600 * 1000;
    for (const key of this.file.keys()) {
      const isDue = new Date(currentVersion(key).created).getTime() <= limit;
      if (key.rotation && key.state === "Enabled" && isDue) this.rotate(key);
    }
  }
}

/** KMS's default rotation period. */
export const rotationDays = 365;
