import { randomBytes } from "node:crypto";
import type { Caller } from "./service.ts";

/** Temporary credentials of every role, as STS would hand them out; they live as long as the embedded cloud. */
export class Credentials {
  readonly #callers = new Map<string, Caller>();

  /** New credentials for a role. Each function and state machine gets its own, so the gateway knows who calls. */
  issue(role: string, arn: string): Caller {
    const caller: Caller = {
      role,
      arn,
      accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString("base64url"),
      sessionToken: randomBytes(24).toString("base64url"),
    };
    this.#callers.set(caller.accessKeyId, caller);
    return caller;
  }

  callerOf(accessKeyId: string): Caller | undefined {
    return this.#callers.get(accessKeyId);
  }
}

/** The environment variables through which an AWS SDK finds a caller's credentials and this machine's endpoint. */
export const sdkEnvironment = (caller: Caller, endpoint: string): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: caller.accessKeyId,
  AWS_SECRET_ACCESS_KEY: caller.secretAccessKey,
  AWS_SESSION_TOKEN: caller.sessionToken,
  AWS_ENDPOINT_URL: endpoint,
});
