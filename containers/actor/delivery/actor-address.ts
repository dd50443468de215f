import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Client, connectivityState, credentials, Metadata, status } from "@grpc/grpc-js";
import {
  type AllowedHosts,
  checkAddresses,
  checkedUrl,
  isAllowed,
  type ResolvedAddress,
} from "../../../functions/platform/outbound-policy.ts";
import { encodePayload } from "../../grpc/codec.ts";
import { RpcError } from "../../grpc/rpc-error.ts";
import { isLoopback } from "../../grpc/settings.ts";

export interface AddressPolicy {
  /** What the operator named besides the public internet. */
  readonly allowed: AllowedHosts;
  /** This program serves nobody but its own machine: whoever can register an actor there can connect to it as well. */
  readonly isLocal: boolean;
}

/**
 * Reads the address of an actor under the rules of all addresses that users name: https and the usual ports, or what the operator named.
 * @returns scheme, host and port
 * @throws SluiceError outbound_*
 */
export function actorAddress(given: string, { allowed, isLocal }: AddressPolicy): string {
  const url = URL.parse(given);
  if (url && isOwnMachine(url, isLocal)) return url.origin;
  return checkedUrl(given, allowed).origin;
}

const isOwnMachine = (url: URL, isLocal: boolean): boolean =>
  isLocal && /^https?:$/.test(url.protocol) && isLoopback(unbracketed(url.hostname));

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

/**
 * Connects to an actor, at the very address that was vetted: the name is not looked up again by the library. The client is the caller's to
 * close; it tries no more than once.
 * @throws SluiceError outbound_*, errors of the resolver
 */
export async function connectToActor(address: string, policy: AddressPolicy): Promise<Client> {
  const url = new URL(actorAddress(address, policy));
  const host = unbracketed(url.hostname);
  const family = isIP(host) as 0 | 4 | 6;
  const addresses = family ? [{ address: host, family }] : ((await lookup(host, { all: true })) as ResolvedAddress[]);
  if (!isOwnMachine(url, policy.isLocal)) checkAddresses(url.hostname, addresses, isAllowed(url, policy.allowed));
  const [first] = addresses as [ResolvedAddress];
  const isTls = url.protocol === "https:";
  const port = url.port || (isTls ? "443" : "80");
  const target = first.family === 6 ? `ipv6:[${first.address}]:${port}` : `ipv4:${first.address}:${port}`;
  return new Client(target, isTls ? credentials.createSsl() : credentials.createInsecure(), {
    "grpc.default_authority": url.host,
    ...(isTls && { "grpc.ssl_target_name_override": host }),
    "grpc.max_send_message_length": -1,
    "grpc.enable_retries": 0,
    "grpc.use_local_subchannel_pool": 1,
    // A variable for a proxy would lead around the address that was vetted.
    "grpc.enable_http_proxy": 0,
  });
}

/** Waits for the connection; not, as the library would, for further tries of it. @throws RpcError UNAVAILABLE when there is none by then */
export async function connected(client: Client, deadline: Date): Promise<void> {
  const channel = client.getChannel();
  for (let state = channel.getConnectivityState(true); state !== connectivityState.READY; ) {
    const known = state;
    const inTime = await new Promise<boolean>((resolve) =>
      channel.watchConnectivityState(known, deadline, (late) => resolve(!late)),
    );
    state = channel.getConnectivityState(true);
    if (!inTime || state === connectivityState.TRANSIENT_FAILURE)
      throw new RpcError(status.UNAVAILABLE, "there is no connection");
  }
}

/**
 * Calls SendParameters of an actor. The metadata is for actors that know it; a relay like ours refuses the version, as it knows no such key of
 * a call, so parameters cannot go in circles.
 * @throws ServiceError
 */
export async function sendParameters(
  client: Client,
  { run, version, payload }: { run: string; version: number; payload: Buffer },
  { deadline, signal }: { deadline: Date; signal: AbortSignal },
): Promise<void> {
  const metadata = new Metadata();
  metadata.set("x-hil-run", run);
  metadata.set("x-hil-param-version", String(version));
  const same = (bytes: Buffer) => bytes;
  await new Promise<void>((resolve, reject) => {
    const path = "/hil_serl.ActorService/SendParameters";
    const message = encodePayload(payload);
    const call = client.makeUnaryRequest(path, same, same, message, metadata, { deadline }, (error) =>
      error ? reject(error) : resolve(),
    );
    signal.addEventListener("abort", () => call.cancel(), { once: true });
  });
}
