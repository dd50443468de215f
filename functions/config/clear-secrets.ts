import { customHeaders } from "../llm/custom-headers.ts";
import { SluiceError } from "../platform/errors.ts";
import { hasUserInfo } from "../platform/outbound-policy.ts";
import { type Settings, said, type UserConfig } from "./user-config.ts";

/**
 * Refuses what would keep a secret in clear, and show it: headers that carry a key, and addresses with a password in them. What is stored
 * already passes, because front ends send all settings back whole.
 * @throws SluiceError llm_header_malformed, llm_header_refused, outbound_userinfo
 */
export function requireNoClearSecret(before: UserConfig | null, changes: Partial<Settings>): void {
  const stored = before ? { ...said(before.llmConfig), ...said(before.otherConfig) } : {};
  const given = Object.entries({ ...said(changes.llmConfig ?? {}), ...said(changes.otherConfig ?? {}) });
  for (const [name, value] of given.filter(([name, value]) => value !== stored[name])) {
    if (name === "llmCustomHeaders") customHeaders(String(value));
    const url = /url$/i.test(name) ? URL.parse(String(value)) : null;
    if (url && hasUserInfo(url)) throw new SluiceError("outbound_userinfo", { host: url.host });
  }
}
