import { operation } from "../platform/operation.ts";
import { requireNoClearSecret } from "./clear-secrets.ts";
import { ConfigView, configView } from "./config-view.ts";
import { Settings } from "./user-config.ts";
import { savedSettings } from "./user-config-secrets.ts";
import { findUserConfig, replaceUserConfig } from "./user-config-store.ts";

export const updateMyConfig = operation(
  {
    method: "PUT",
    path: "/config/me",
    summary:
      "Change one's own settings: what is not named stays, a masked secret too, an empty one is deleted; the token of a host and the key of a model go when the address changes that they were entered for",
    auth: "user",
    body: Settings.partial(),
    success: ConfigView,
    failures: [
      "stale_version",
      "secret_unreadable",
      "secret_prefix_reserved",
      "secret_too_long",
      "llm_header_malformed",
      "llm_header_refused",
      "outbound_userinfo",
    ],
    grants: { reads: ["userConfig"], writes: ["userConfig"], checks: ["user"], secrets: ["encrypt", "decrypt"] },
  },
  async ({ body, caller, now }) => {
    const before = await findUserConfig(caller.id);
    requireNoClearSecret(before, body);
    const next = await savedSettings(before, body, caller.id, now());
    await replaceUserConfig(before, next);
    return configView(next, caller.id);
  },
);
