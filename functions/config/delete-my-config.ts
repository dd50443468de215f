import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { deleteUserConfig } from "./user-config-store.ts";

export const deleteMyConfig = operation(
  {
    method: "DELETE",
    path: "/config/me",
    summary: "Forget one's own settings and secrets; what counts then are the defaults",
    auth: "user",
    success: z.object({ message: z.string() }),
    failures: [],
    grants: { writes: ["userConfig"] },
  },
  async ({ caller, language }) => {
    await deleteUserConfig(caller.id);
    return { message: language === "zh" ? "配置已恢复为默认值" : "The settings are back to the defaults" };
  },
);
