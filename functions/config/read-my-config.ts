import { operation } from "../platform/operation.ts";
import { ConfigView, configView } from "./config-view.ts";
import { findUserConfig } from "./user-config-store.ts";

export const readMyConfig = operation(
  {
    method: "GET",
    path: "/config/me",
    summary: "Read one's own settings over the defaults; secrets are masked",
    auth: "user",
    success: ConfigView,
    failures: [],
    grants: { reads: ["userConfig"], secrets: ["decrypt"] },
  },
  async ({ caller }) => configView(await findUserConfig(caller.id), caller.id),
);
