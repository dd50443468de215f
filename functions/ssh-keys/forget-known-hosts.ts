import * as z from "zod";
import { operation } from "../platform/operation.ts";
import * as knownHosts from "./known-host-store.ts";

export const forgetKnownHosts = operation(
  {
    method: "DELETE",
    path: "/ssh-keys/known-hosts",
    summary: "Forget the host keys that the caller's git hosts have shown",
    auth: "user",
    success: z.object({ success: z.literal(true), message: z.string() }),
    failures: [],
    grants: { writes: ["knownHosts"] },
  },
  async ({ caller, language }) => {
    await knownHosts.forgetKnownHosts(caller.id);
    return { success: true as const, message: language === "zh" ? "已清除已知主机" : "The known hosts are forgotten" };
  },
);
