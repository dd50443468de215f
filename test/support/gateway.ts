import { Gateway, type GatewayProps } from "../../lib/local/gateway.ts";
import { type Caller, localAccount } from "../../lib/local/service.ts";

export interface TestGateway {
  readonly gateway: Gateway;
  readonly endpoint: string;
  /** Configuration of an SDK client that may do everything. */
  readonly operator: ClientConfig;
  /** Configuration of an SDK client that has a role; `allows` of the gateway decides what it may do. */
  as(role: string): ClientConfig;
  stop(): Promise<void>;
}

export interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Caller;
  /** A test sees the first answer of the embedded cloud, not what the SDK made of three. */
  readonly maxAttempts: 1;
}

/** Starts the embedded cloud's gateway in front of some services, on any free port. */
export async function startGateway(props: GatewayProps): Promise<TestGateway> {
  const gateway = new Gateway(props);
  const endpoint = await gateway.start();
  const as = (role: string): ClientConfig => ({
    endpoint,
    region: localAccount.region,
    credentials: gateway.credentials.issue(role, `arn:aws:sts::${localAccount.account}:assumed-role/${role}/local`),
    maxAttempts: 1,
  });
  return { gateway, endpoint, operator: as("operator"), as, stop: () => gateway.stop() };
}
