import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { SluiceError } from "../../platform/errors.ts";
import type { OutboundProps } from "../../platform/outbound.ts";
import { checkAddresses, isAllowed, type ResolvedAddress } from "../../platform/outbound-policy.ts";
import type { SshRemote } from "./git-remote.ts";

/** SSH itself, SSH at GitHub and GitLab for networks that let only HTTPS out, Gitea's, and Bitbucket's. Others the operator names. */
const ports: readonly number[] = [22, 443, 2222, 7999];

/**
 * Connects to a server under the rules of HTTPS requests: only into the public internet and to what the operator named, and to the very
 * addresses that were vetted.
 * @throws SluiceError outbound_port, outbound_address_refused, outbound_unreachable
 */
export async function sshSocket(
  remote: SshRemote,
  { allowedHosts = new Set(), resolve = systemResolver }: OutboundProps,
  signal: AbortSignal,
): Promise<Socket> {
  const { hostname, port, host } = remote;
  const named = isAllowed(new URL(`http://${host}`), allowedHosts);
  if (!named && !ports.includes(port))
    throw new SluiceError("outbound_port", { host: hostname, port, ports: ports.join(", ") });
  const addresses = await Promise.race([addressesOf(hostname, resolve), aborted(signal)]).catch((error) => {
    throw unreachable(hostname, error);
  });
  if (addresses.length === 0) throw unreachable(hostname, { code: "ENOTFOUND" });
  checkAddresses(hostname, addresses, named);
  return connected(remote, addresses, signal);
}

async function addressesOf(
  hostname: string,
  resolve: NonNullable<OutboundProps["resolve"]>,
): Promise<readonly ResolvedAddress[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal) as 0 | 4 | 6;
  return family === 0 ? resolve(hostname) : [{ address: literal, family }];
}

/** A lookup cannot be cancelled, but nobody has to wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

function connected(
  { hostname, port }: SshRemote,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  // The vetted addresses stand in for a lookup, so the name is not resolved a second time to something else.
  const socket = connect({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    lookup: (_, { all }, done) =>
      all ? done(null, [...addresses]) : done(null, addresses[0]!.address, addresses[0]!.family),
  });
  const onAbort = () => socket.destroy(new Error("aborted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("close", () => signal.removeEventListener("abort", onAbort));
  socket.on("error", (error) => reject(unreachable(hostname, error)));
  socket.once("connect", () => resolve(socket));
  return promise;
}

const unreachable = (host: string, error: unknown): SluiceError =>
  new SluiceError("outbound_unreachable", { host, reason: (error as NodeJS.ErrnoException).code ?? "network" }, error);

const systemResolver = async (hostname: string) =>
  (await lookup(hostname, { all: true })) as readonly { address: string; family: 4 | 6 }[];
