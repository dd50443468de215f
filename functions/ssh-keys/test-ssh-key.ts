import * as z from "zod";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { outbound } from "../platform/outbound.ts";
import { parseGitRemote } from "../sources/git/git-remote.ts";
import { GitRepository } from "../sources/git/git-repository.ts";
import { accessTestMs, isAccessProblem } from "../sources/project-repository.ts";
import { findKnownHost } from "./known-host-store.ts";
import { sshGrants, sshIdentity } from "./ssh-identity.ts";
import { fingerprintOf } from "./ssh-key.ts";

const accepted = {
  zh: (host: string) => `“${host}”接受该 SSH 密钥，可以读取该仓库`,
  en: (host: string) => `“${host}” accepts the SSH key, and the repository can be read`,
};

export const testSshKey = operation(
  {
    method: "POST",
    path: "/ssh-keys/test",
    summary: "Try whether the caller's SSH key reaches a repository",
    auth: "user",
    body: z.object({ repo_url: z.string().trim().min(1).max(2000) }),
    success: z.object({
      success: z.boolean(),
      /** "accessible", or the code of what is wrong, for programs. */
      code: z.string(),
      /** The same for people. */
      message: z.string(),
      /** The key by which the host is known from now on, to be compared with what the host publishes; null when it was not reached. */
      output: z.string().nullable(),
    }),
    failures: ["ssh_key_not_found", "repository_url_invalid"],
    grants: sshGrants,
  },
  async ({ body, caller, language }) => {
    const remote = parseGitRemote(body.repo_url);
    if (remote.kind !== "ssh")
      throw new SluiceError("repository_url_invalid", { example: "git@host:owner/repository" });
    const { host } = remote;
    try {
      const ssh = await sshIdentity(caller.id, host);
      if (!ssh) throw new SluiceError("ssh_key_not_found");
      await new GitRepository({ remote, ssh, outbound: outbound(), budgetMs: accessTestMs }).branches();
      const known = await findKnownHost(caller.id, host);
      return {
        success: true,
        code: "accessible",
        message: accepted[language](host),
        output: known && shown(known.key),
      };
    } catch (error) {
      // A negative result is an answer, not an error of this operation.
      if (!isAccessProblem(error)) throw error;
      return { success: false, code: error.code, message: error.text(language), output: null };
    }
  },
);

/** As `ssh-keygen -l` and the pages of git hosts show a host key. */
function shown(key: string): string {
  const [type, base64 = ""] = key.split(" ");
  return `${type} ${fingerprintOf(Buffer.from(base64, "base64"))}`;
}
