/**
 * Tokens that worked, by the hash of address and key: a user's other key or address finds none. A token lives for a month and is kept for
 * minutes, so that a revoked key stops working soon.
 */
const tokens = new Map<string, { readonly token: string; readonly until: number }>();
const keepMilliseconds = 5 * 60_000;
const tokensMax = 100;

/** A token that is still good, as far as we know. */
export function knownToken(holder: string): string | undefined {
  const found = tokens.get(holder);
  if (found && found.until > Date.now()) return found.token;
  tokens.delete(holder);
  return undefined;
}

/** Keeps a token that has worked. */
export function remember(holder: string, token: string): void {
  // Map keeps insertion order: the first key is the oldest.
  if (tokens.size >= tokensMax) tokens.delete(tokens.keys().next().value!);
  tokens.set(holder, { token, until: Date.now() + keepMilliseconds });
}

export const forgetToken = (holder: string): void => void tokens.delete(holder);

/** Forgets all tokens: a test of a connection must show what the key is worth now. */
export const forgetTokens = (): void => tokens.clear();
