import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { S3 } from "../../lib/local/s3.ts";
import type { Caller, Permission, RestService } from "../../lib/local/service.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

export interface EmbeddedS3 {
  readonly folder: string;
  readonly s3: S3;
  readonly cloud: TestGateway;
  /** An SDK client that may do everything. */
  readonly client: S3Client;
  /** The clock of the service, for tests to turn. The gateway has the machine's. */
  now: Date;
  /** What roles other than the operator may do. */
  allows: (caller: Caller, permission: Permission) => boolean;
  clientAs(role: string, config?: S3ClientConfig): S3Client;
  /** Closes the store and opens it again, as a restart would; the address stays. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an empty S3 behind a gateway. */
export async function startS3(): Promise<EmbeddedS3> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  const clients: S3Client[] = [];
  const open = async () => {
    const s3 = new S3({ folder, now: () => embedded.now });
    await s3.open();
    return s3;
  };
  const connect = (config: S3ClientConfig) => {
    const client = new S3Client(config);
    clients.push(client);
    return client;
  };
  const embedded = { folder, now: new Date(), allows: () => true } as unknown as {
    -readonly [K in keyof EmbeddedS3]: EmbeddedS3[K];
  };
  embedded.s3 = await open();
  const service: RestService = {
    handle: (call) => embedded.s3.handle(call),
    fail: (request, response, error) => embedded.s3.fail(request, response, error),
  };
  const allows = (caller: Caller, permission: Permission) => embedded.allows(caller, permission);
  embedded.cloud = await startGateway({ rest: { s3: service }, allows });
  embedded.client = connect(embedded.cloud.operator);
  embedded.clientAs = (role, config = {}) => connect({ ...embedded.cloud.as(role), ...config });
  embedded.restart = async () => {
    await embedded.s3.close();
    embedded.s3 = await open();
  };
  embedded.stop = async () => {
    for (const client of clients) client.destroy();
    await embedded.cloud.stop();
    await embedded.s3.close();
    await rm(folder, { recursive: true });
  };
  return embedded;
}
