import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { S3Client } from "@aws-sdk/client-s3";
import type { Step } from "../../lib/local/s3/store.ts";

export interface S3Process {
  readonly client: S3Client;
  ensureBucket(bucket: string, versioned: boolean): Promise<void>;
  /** The most memory that the process has had, so far. */
  maxRssMiB(): Promise<number>;
  /** SIGKILL, and the end of the process; also when it has killed itself. */
  kill(): Promise<void>;
}

/** Starts S3 in a process of its own. @param killAt the step of a write at which it is to die */
export async function startS3Process(folder: string, killAt?: Step): Promise<S3Process> {
  const child = fork(new URL("./s3-process-main.ts", import.meta.url), [folder, killAt ?? ""], { execArgv: [] });
  const exited = once(child, "exit");
  const client = new S3Client(await answerOf(child));
  const ask = async (message: object): Promise<{ maxRssMiB: number }> => {
    child.send(message);
    return answerOf(child);
  };
  return {
    client,
    ensureBucket: async (bucket, versioned) => void (await ask({ bucket, versioned })),
    maxRssMiB: async () => (await ask({})).maxRssMiB,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
      client.destroy();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what the child sends is in s3-process-main.ts.
async function answerOf(child: ChildProcess): Promise<any> {
  const [answer] = await once(child, "message");
  return answer;
}
