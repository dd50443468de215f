/** What a client is to do. Jobs and answers are lines of JSON on standard input and output, in Node and in Python. */
export interface Job {
  readonly port: number;
  /** "tcp" is the floor: length and payload one way, a byte back. Python knows "grpc" only. */
  readonly protocol: "grpc" | "tcp";
  /** Of the payload. */
  readonly bytes: number;
  readonly concurrency: number;
  readonly seconds: number;
  /** Ends the job before its time, so that large messages do not fill the disk. */
  readonly messagesMax: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Sent {
  /** How many calls ended with which status, by its name: "OK", "UNAVAILABLE". */
  readonly ended: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of those that ended well. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends for the time of a job, so many at once, and looks at the clock. @param send resolves with the name of the status */
export async function sendAll(job: Job, send: () => Promise<string>): Promise<Sent> {
  const ended: Record<string, number> = {};
  const latencies: number[] = [];
  const begun = performance.now();
  const until = begun + job.seconds * 1000;
  let left = job.messagesMax;
  const worker = async () => {
    while (performance.now() < until && left-- > 0) {
      const sent = performance.now();
      const status = await send();
      ended[status] = (ended[status] ?? 0) + 1;
      if (status === "OK") latencies.push(performance.now() - sent);
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(Array.from({ length: job.concurrency }, worker));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { ended, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
