import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalService, type LocalServiceOptions, startLocalService } from "../../bin/local/service.ts";
import { Api } from "./api.ts";

export interface OwnService extends LocalService {
  readonly folder: string;
  /** Calls as its first administrator. */
  readonly api: Api;
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>;
}

/** The whole service on a folder of its own, for tests that break it or that others would disturb. */
export async function startOwnService(options: Omit<LocalServiceOptions, "dataFolder"> = {}): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const service = await startLocalService({ ...options, dataFolder: folder });
  return {
    ...service,
    folder,
    api: new Api(service.url, await service.token()),
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
