import { CannotScan } from "./cannot-scan.ts";
import { Client } from "./client.ts";
import type { ScanOptions } from "./options.ts";
import type { Progress } from "./progress.ts";
import { Transport } from "./transport.ts";

/**
 * Gives `use` a client of the service that the user named, or of one that lives as long as the run.
 * @param folder of an embedded service, all that it keeps
 * @throws CannotScan when there is no service, or none that takes the token; whatever `use` throws
 */
export async function withService<T>(
  { service: running, language }: ScanOptions,
  folder: string,
  progress: Progress,
  signal: AbortSignal,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  if (running) {
    const client = new Client(new Transport(running.url, running.token, language), signal);
    await client.greet();
    return use(client);
  }
  progress.stage("starting");
  signal.throwIfAborted();
  // Loaded only here: who uses a running service need not load a whole one.
  const { startLocalService } = await import("../local/service.ts");
  const service = await startLocalService({ dataFolder: folder }).catch((error) => {
    throw new CannotScan("service_not_started", { reason: (error as Error).message }, error);
  });
  try {
    return await use(new Client(new Transport(service.url, await service.token(), language), signal));
  } finally {
    await service.stop();
  }
}

/** True where anybody on the way could read the token. */
export function travelsInClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
