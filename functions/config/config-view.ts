import * as z from "zod";
import { Settings, type UserConfig } from "./user-config.ts";
import { shownSettings } from "./user-config-secrets.ts";

/** Empty texts where nothing is saved yet, as existing front ends expect. */
export const ConfigView = Settings.extend({
  id: z.string(),
  user_id: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});

/** What a user sees of the own settings: over the defaults, secrets masked. A user has one record, so its id is the user's. */
export const configView = async (config: UserConfig | null, userId: string): Promise<z.input<typeof ConfigView>> => ({
  id: config ? config.userId : "",
  user_id: userId,
  ...(await shownSettings(config, userId)),
  created_at: config?.createdAt ?? "",
  updated_at: config?.updatedAt ?? null,
});
