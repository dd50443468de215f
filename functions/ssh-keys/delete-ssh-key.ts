import * as z from "zod";
import { operation } from "../platform/operation.ts";
import * as sshKeys from "./ssh-key-store.ts";

export const deleteSshKey = operation(
  {
    method: "DELETE",
    path: "/ssh-keys",
    summary: "Delete the caller's SSH key",
    auth: "user",
    success: z.object({ message: z.string() }),
    failures: ["ssh_key_not_found"],
    grants: { writes: ["sshKey"] },
  },
  async ({ caller, language }) => {
    await sshKeys.deleteSshKey(caller.id);
    return { message: language === "zh" ? "SSH 密钥已删除" : "The SSH key has been deleted" };
  },
);
