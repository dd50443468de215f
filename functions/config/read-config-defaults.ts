import { operation } from "../platform/operation.ts";
import { defaultSettings, Settings } from "./user-config.ts";

export const readConfigDefaults = operation(
  {
    method: "GET",
    path: "/config/defaults",
    summary: "Read the settings that count where a user has said nothing; they hold no secret",
    auth: "anyone",
    success: Settings,
    failures: [],
    grants: {},
  },
  async () => defaultSettings,
);
