import type { Grants } from "../platform/contract.ts";
import { openSecret } from "../platform/secrets.ts";
import type { SshIdentity } from "../sources/git/ssh-transport.ts";
import { findKnownHost, rememberHost } from "./known-host-store.ts";
import { privateKeyField, readSshKey } from "./ssh-key-store.ts";

/** What a function needs to sign in at a git host as its caller. It may read the key and not replace it. */
export const sshGrants = {
  reads: ["sshKey", "knownHosts"],
  writes: ["knownHosts"],
  // Whose known hosts they are must still be there.
  checks: ["user"],
  secrets: ["decrypt"],
} as const satisfies Grants;

/**
 * As whom a user signs in at a host, and by which key that host is known to them. A new host is remembered by itself.
 * @param host "hostname:port"
 * @returns undefined for a user without a key
 * @throws SluiceError secret_unreadable
 */
export async function sshIdentity(userId: string, host: string): Promise<SshIdentity | undefined> {
  const key = await readSshKey(userId);
  if (!key) return undefined;
  const { value } = await openSecret(key.privateKey, { userId, field: privateKeyField });
  const known = await findKnownHost(userId, host);
  return { privateKey: value, knownHosts: known ? [known] : [], onNewHost: (met) => rememberHost(userId, met) };
}
