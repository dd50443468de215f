import * as z from "zod";
import { operation } from "../platform/operation.ts";
import * as sshKeys from "./ssh-key-store.ts";

export const readSshKey = operation(
  {
    method: "GET",
    path: "/ssh-keys",
    summary: "Show the public part of the caller's SSH key",
    auth: "user",
    success: z.object({
      has_key: z.boolean(),
      public_key: z.string().nullable(),
      fingerprint: z.string().nullable(),
    }),
    failures: [],
    grants: { reads: ["sshKey"] },
  },
  async ({ caller }) => {
    const key = await sshKeys.readSshKey(caller.id);
    return { has_key: key !== null, public_key: key?.publicKey ?? null, fingerprint: key?.fingerprint ?? null };
  },
);
