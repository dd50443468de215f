import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { generateSshKey, PublicSshKeyView, SshKeyType } from "./ssh-key.ts";
import { storeSshKey } from "./ssh-key-store.ts";

export const generateSshKeyPair = operation(
  {
    method: "POST",
    path: "/ssh-keys/generate",
    summary: "Make the caller an SSH key pair in place of a former one; the private key never leaves the service",
    auth: "user",
    body: z.object({ type: SshKeyType.default("ed25519") }).prefault({}),
    success: PublicSshKeyView.extend({ message: z.string() }),
    failures: [],
    grants: { writes: ["sshKey"], checks: ["user"], secrets: ["encrypt"] },
    // Without it, a repeated request would replace the key that its user has just given to a host.
    idempotent: true,
    // One whole processor: finding the primes of an RSA key takes seconds as it is.
    memoryMiB: 1769,
  },
  async ({ body, caller, language, now }) => {
    const key = await storeSshKey(caller.id, body.type, await generateSshKey(body.type), now());
    return {
      public_key: key.publicKey,
      fingerprint: key.fingerprint,
      message:
        language === "zh" ? "SSH 密钥已生成，请将公钥添加到代码托管平台" : "Add this public key to your git host",
    };
  },
);
