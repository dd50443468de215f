import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import ssh2, {
  type Algorithms,
  type ClientChannel,
  type ConnectConfig,
  type ParsedKey,
  type ServerHostKeyAlgorithm,
} from "ssh2";
import { SluiceError } from "../../platform/errors.ts";
import type { Outbound } from "../../platform/outbound.ts";
import { Deadline, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { SshRemote } from "./git-remote.ts";
import { hostKeyAlgorithms, hostKeyText, type KnownHost } from "./known-host.ts";
import { PacketReader } from "./packet-reader.ts";
import { sshKeyText } from "./ssh-key-text.ts";
import type { Transport } from "./upload-pack.ts";

export interface SshIdentity {
  /** Ed25519 or RSA as PKCS#8, PKCS#1 or in the format of OpenSSH. */
  readonly privateKey: string;
  readonly passphrase?: string;
  /** What this user has met before. A host that is not among them is accepted and told to `onNewHost`. */
  readonly knownHosts: readonly KnownHost[];
  /** Called when the host has accepted our key and before anything is asked of it; stores its key for this user, or refuses it by throwing. */
  readonly onNewHost: (host: KnownHost) => Promise<void>;
}

/**
 * Lends a conversation with `git-upload-pack` over SSH. One key, no agent, no forwarding, no password, no terminal; the connection ends
 * with `use`.
 * @throws SluiceError repository_key_unreadable, repository_key_refused, repository_host_key_changed, repository_not_found, outbound_*;
 *   what `onNewHost` and `use` throw passes unchanged
 */
export async function withSsh<T>(
  remote: SshRemote,
  identity: SshIdentity,
  outbound: Outbound,
  deadline: Deadline,
  use: (transport: Transport) => Promise<T>,
): Promise<T> {
  const key = readKey(identity);
  const connecting = new Deadline(remote.host, Math.min(gitLimits.connectMs, deadline.remainingMs));
  const socket = await outbound.connect(remote.hostname, remote.port, connecting.remainingMs);
  const client = new ssh2.Client();
  let late: NodeJS.Timeout | undefined;
  try {
    const newHost = await connecting.limit(handshake(client, socket, key, remote, identity));
    if (newHost) await identity.onNewHost(newHost);
    const channel = await deadline.limit(openChannel(client, remote));
    const transport = new SshTransport(remote.host, channel, client);
    // Ends what is being read, and not what `use` does with what it has read.
    late = setTimeout(() => transport.abort(deadline.timeout()), deadline.remainingMs);
    return await use(transport);
  } finally {
    clearTimeout(late);
    client.end();
    socket.destroy();
  }
}

/** Reads and decrypts the user's key before anything is asked. */
function readKey({ privateKey, passphrase }: SshIdentity): ParsedKey {
  try {
    const key = ssh2.utils.parseKey(sshKeyText(privateKey), passphrase);
    if (!(key instanceof Error) && key.isPrivateKey()) return key;
  } catch {
    // An error of the parser could show a part of the key, so it is not kept as the cause either.
  }
  throw new SluiceError("repository_key_unreadable");
}

/** Nothing with SHA-1, CBC or RC4. ChaCha20 is left out because ssh2 has its MAC as WebAssembly where the native part is missing. */
const algorithms = {
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
  ],
  cipher: ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr"],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
} satisfies Algorithms;

/** @returns the host, if it was not known */
function handshake(
  client: ssh2.Client,
  socket: Socket,
  key: ParsedKey,
  { user, host, hostname }: SshRemote,
  { knownHosts }: SshIdentity,
): Promise<KnownHost | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<KnownHost | undefined>();
  const known = knownHosts.filter((entry) => entry.host === host);
  let shown: string | undefined;
  const isExpected = (blob: Buffer): boolean => {
    shown = hostKeyText(blob);
    return known.length === 0 || known.some((entry) => entry.key === shown);
  };
  client.on("ready", () => resolve(known.length === 0 && shown !== undefined ? { host, key: shown } : undefined));
  // Later errors end the stream that somebody reads; here they only must not end the process.
  client.on("error", (error) => {
    const refused = shown !== undefined && known.length > 0 && !known.some((entry) => entry.key === shown);
    // A server that no longer has a key of the known type is as suspect as one with another key.
    if (refused || (known.length > 0 && shown === undefined && /host key/i.test(error.message)))
      reject(new SluiceError("repository_host_key_changed", { host }, error));
    else if (error.level === "client-authentication")
      reject(new SluiceError("repository_key_refused", { host }, error));
    else reject(new SluiceError("outbound_unreachable", { host: hostname, reason: "SSH" }, error));
  });
  client.on("close", () => reject(new SluiceError("outbound_unreachable", { host: hostname, reason: "SSH" })));
  const config: ConnectConfig = {
    sock: socket,
    username: user,
    authHandler: [{ type: "publickey", username: user, key }] as never,
    hostVerifier: isExpected,
    algorithms: { ...algorithms, serverHostKey: hostKeyAlgorithms(known) as ServerHostKeyAlgorithm[] },
    // Our own deadlines bound it; a timer of the library would only say the same in other words.
    readyTimeout: 0,
    agentForward: false,
  };
  client.connect(config);
  return promise;
}

/** Servers that pass the variable on speak version 2, the others 0. The path has no character that could end the quotes. */
function openChannel(client: ssh2.Client, { path, hostname: host }: SshRemote): Promise<ClientChannel> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>();
  const refused = (cause?: unknown) => new SluiceError("outbound_unreachable", { host, reason: "SSH" }, cause);
  client.exec(`git-upload-pack '${path}'`, { env: { GIT_PROTOCOL: "version=2" } }, (error, channel) =>
    error ? reject(refused(error)) : resolve(channel),
  );
  client.once("close", () => reject(refused()));
  return promise;
}

/** All answers are one stream, so one reader reads them. */
class SshTransport implements Transport {
  readonly host: string;
  readonly #channel: ClientChannel;
  readonly #answers = new PassThrough();
  readonly #packets: PacketReader;
  #bytesLeft = 0;
  #limit = 0;

  constructor(host: string, channel: ClientChannel, client: ssh2.Client) {
    this.host = host;
    this.#channel = channel;
    channel.stderr.resume();
    channel.on("error", () => undefined);
    channel.pipe(this.#answers);
    // A lost connection does not end ssh2's channel, so what is read is ended here.
    client.once("close", () => this.#answers.end());
    // An error that comes while nobody is reading is found by whoever reads next; unheard, it would end the process.
    this.#answers.on("error", () => undefined);
    this.#packets = new PacketReader(this.#counted(), host);
  }

  /** Ends whatever is being read with this error. */
  abort(error: Error): void {
    this.#answers.destroy(error);
  }

  async greeting<T>(bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T> {
    this.#allow(bytesMax);
    return read(this.#packets);
  }

  async ask<T>(request: Buffer, bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T> {
    this.#allow(bytesMax);
    this.#channel.write(request);
    return read(this.#packets);
  }

  #allow(bytesMax: number): void {
    this.#bytesLeft = bytesMax;
    this.#limit = bytesMax;
  }

  async *#counted(): AsyncGenerator<Buffer> {
    let silent = true;
    for await (const chunk of this.#answers as AsyncIterable<Buffer>) {
      silent = false;
      this.#bytesLeft -= chunk.length;
      if (this.#bytesLeft < 0) throw tooLarge(this.host, "bytes", this.#limit);
      yield chunk;
    }
    // What git says about a repository that is missing, or not for this key, goes to the error stream.
    if (silent) throw new SluiceError("repository_not_found", { host: this.host });
  }
}
