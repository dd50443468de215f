import { withoutMovedEmbeddingKey } from "../embedding/embedding-address.ts";
import { withoutMovedKeys } from "../llm/model-address.ts";
import { isSluiceError } from "../platform/errors.ts";
import { changedSecret, encryptSecret, maskSecret, openSecret } from "../platform/secrets.ts";
import {
  defaultSettings,
  groups,
  type HostType,
  hostOrigin,
  hostTokens,
  isSecretField,
  type Settings,
  said,
  saying,
  type UserConfig,
  type Values,
  withoutMovedTokens,
} from "./user-config.ts";
import { findUserConfig } from "./user-config-store.ts";

/** What the user has saved over what counts by default, secrets masked. */
export async function shownSettings(config: UserConfig | null, userId: string): Promise<Settings> {
  const shown = groups.map(async (group) => {
    const fields = Object.entries(said(config?.[group] ?? {})).map(async ([name, value]) => [
      name,
      isSecretField(name) ? await maskOf(String(value), userId, name) : value,
    ]);
    return [group, { ...defaultSettings[group], ...saying(Object.fromEntries(await Promise.all(fields))) }];
  });
  return Object.fromEntries(await Promise.all(shown)) as Settings;
}

/** A secret that no longer opens is still shown as one: only its user can say whether to keep or to replace it. */
async function maskOf(stored: string, userId: string, field: string): Promise<string> {
  try {
    return maskSecret((await openSecret(stored, { userId, field })).value);
  } catch (error) {
    if (isSluiceError(error, "secret_unreadable")) return maskSecret("");
    throw error;
  }
}

/**
 * The record after a form came back: what it names replaces what is stored, a masked secret stays, an empty one goes.
 * @throws SluiceError secret_too_long, secret_prefix_reserved
 */
export async function savedSettings(
  before: UserConfig | null,
  sent: Partial<Settings>,
  userId: string,
  at: Date,
): Promise<UserConfig> {
  const merged: Record<string, object> = {};
  const entered = new Set<string>();
  for (const group of groups) {
    const stored = said(before?.[group] ?? {});
    const given = said(sent[group] ?? {});
    const secrets = Object.keys({ ...stored, ...given }).filter(isSecretField);
    const values: Values = { ...stored, ...given };
    for (const field of secrets) {
      // An empty text was no secret before encryption either.
      const kept = (stored[field] as string | undefined) || undefined;
      const next = await changedSecret(kept, given[field] as string | undefined, { userId, field });
      if (next !== kept) entered.add(field);
      if (next === undefined) delete values[field];
      else values[field] = await upToDate(next, { userId, field });
    }
    merged[group] = saying(values);
  }
  const after: UserConfig = {
    ...(merged as Settings),
    userId,
    createdAt: before?.createdAt ?? at.toISOString(),
    updatedAt: before ? at.toISOString() : null,
    version: (before?.version ?? 0) + 1,
  };
  return [withoutMovedTokens, withoutMovedKeys, withoutMovedEmbeddingKey].reduce(
    (config, withoutMoved) => withoutMoved(before, config, entered),
    after,
  );
}

/** A secret from before encryption gets encrypted now that its record is written anyway. */
async function upToDate(stored: string, place: { userId: string; field: string }): Promise<string> {
  if (stored.startsWith("enc:")) return stored;
  return encryptSecret((await openSecret(stored, place)).value, place);
}

/** A user's token for a kind of host, and the one origin it may be sent to; undefined when the user has stored none. */
export async function hostToken(
  userId: string,
  type: HostType,
): Promise<{ value: string; origin: string } | undefined> {
  const config = await findUserConfig(userId);
  const field = hostTokens[type].token;
  const stored = config?.otherConfig[field];
  if (!stored) return undefined;
  return { value: (await openSecret(stored, { userId, field })).value, origin: hostOrigin(config, type) };
}
