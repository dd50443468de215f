import { BlockList, isIP } from "node:net";
import { SluiceError } from "./errors.ts";

/** Hosts that the operator named, as `host:port`; for exactly these http, other ports and private addresses are allowed. */
export type AllowedHosts = ReadonlySet<string>;

/** Where providers and their self-hosted twins listen; anything else has to be named by the operator. */
const ports: readonly number[] = [443, 8443, 9443, 10443];

/** SSH itself. Ports that hosts choose for it themselves have to be named by the operator: anything at all may listen there. */
const sshPort = 22;

/**
 * Reads the operator's list, "git.corp.example:443, 10.0.0.5:3000, [fd00::5]:443".
 * @throws Error naming the entry that is no host with a port
 */
export function parseAllowedHosts(list: string): AllowedHosts {
  const entries = list.split(",").map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== "").map(parseAllowedHost));
}

function parseAllowedHost(entry: string): string {
  const fault = new Error(`allowed hosts: "${entry}" is not a host with a port, such as git.example.com:443`);
  const given = /^([^/?#@\\\s]+):(\d{1,5})$/.exec(entry);
  if (!given || !URL.canParse(`http://${entry}`)) throw fault;
  return `${new URL(`http://${given[1]}`).hostname}:${Number(given[2])}`;
}

/** A name or password in an address would be kept, shown and logged with it. */
export const hasUserInfo = ({ username, password }: URL): boolean => username !== "" || password !== "";

/** http or https, and nobody's name or password in it. */
export const isWebAddress = (url: URL | null): url is URL =>
  url !== null && /^https?:$/.test(url.protocol) && !hasUserInfo(url);

export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

export const isAllowed = (url: URL, allowed: AllowedHosts): boolean => allowed.has(`${url.hostname}:${portOf(url)}`);

/**
 * Reads an address that a user or a redirect named. WHATWG parsing comes first, so every spelling of an IP address is one by now.
 * @throws SluiceError outbound_url_malformed, outbound_not_https, outbound_userinfo, outbound_port
 */
export function checkedUrl(given: string | URL, allowed: AllowedHosts): URL {
  const url = URL.parse(String(given));
  if (!url || url.hostname === "") throw new SluiceError("outbound_url_malformed");
  const host = url.hostname;
  if (hasUserInfo(url)) throw new SluiceError("outbound_userinfo", { host });
  const named = isAllowed(url, allowed);
  if (url.protocol !== "https:" && !(named && url.protocol === "http:"))
    throw new SluiceError("outbound_not_https", { host });
  const port = portOf(url);
  if (!named && !ports.includes(port)) throw new SluiceError("outbound_port", { host, port, ports: ports.join(", ") });
  return url;
}

/**
 * Reads the host and port of an SSH server as `checkedUrl` reads an address; of the answer only host and port mean something.
 * @throws SluiceError outbound_url_malformed, outbound_port
 */
export function checkedSshAddress(hostname: string, port: number, allowed: AllowedHosts): URL {
  // A scheme that WHATWG knows has every spelling of an IP address made one.
  const url = URL.parse(`http://${hostname}:${port}`);
  if (!url) throw new SluiceError("outbound_url_malformed");
  if (port !== sshPort && !isAllowed(url, allowed))
    throw new SluiceError("outbound_port", { host: url.hostname, port, ports: sshPort });
  return url;
}

/** One IP address of a host. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Refuses a host when any of its addresses leads elsewhere than into the public internet: one bad answer among good ones is how a name
 * gets around a check.
 * @throws SluiceError outbound_address_refused
 */
export function checkAddresses(host: string, addresses: readonly ResolvedAddress[], named: boolean): void {
  const acceptable = named ? isNotForbidden : isPublic;
  if (!addresses.every(({ address }) => acceptable(address)))
    throw new SluiceError("outbound_address_refused", { host });
}

/** True for addresses that belong to the public internet (IANA special-purpose registries, RFC 6890). */
export const isPublic = (address: string): boolean =>
  !address.includes("%") &&
  (isIP(address) === 4
    ? !privateAddresses.check(address, "ipv4")
    : isIP(address) === 6 && globalUnicast.check(address, "ipv6") && !privateAddresses.check(address, "ipv6"));

const isNotForbidden = (address: string): boolean =>
  !address.includes("%") && isIP(address) !== 0 && !forbidden.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

function blockList(...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** All that IPv6 routes on the internet. Mapped IPv4 (::ffff:0:0/96), NAT64, unique local and link local lie outside. */
const globalUnicast = blockList("2000::/3");

const privateAddresses = blockList(
  "0.0.0.0/8", // this network
  "10.0.0.0/8",
  "100.64.0.0/10", // shared by carriers
  "127.0.0.0/8", // the Lambda runtime's API, and locally the whole cloud
  "169.254.0.0/16", // metadata and credentials of the machine
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24", // documentation, as 198.51.100 and 203.0.113
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4",
  "2001::/23", // protocol assignments, Teredo among them: they can carry an IPv4 address
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4 carries an IPv4 address
  "3fff::/20", // documentation
);

/** No git server and no model lives here, so even an allowed name does not lead here. */
const forbidden = blockList(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "fe80::/10",
  "fd00:ec2::/32",
  "ff00::/8",
);
