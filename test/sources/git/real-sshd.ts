import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

const program = "/usr/sbin/sshd";
export const hasSshd = existsSync(program);
if (!hasSshd) console.warn(`skipped: this machine has no ${program}`);

export interface RealSshdProps {
  /** A folder of its own, owned by the user of this process. */
  readonly folder: string;
  /** @default ["ed25519", "rsa"] */
  readonly hostKeys?: readonly string[];
  /** False for hosts that do not pass GIT_PROTOCOL on. @default true */
  readonly passesVersion?: boolean;
}

/** The SSH server of OpenSSH on loopback, for the user of this process and the keys made here. */
export class RealSshd {
  readonly user = userInfo().username;
  readonly #props: RealSshdProps;
  #process: ChildProcess | undefined;
  #port = 0;

  constructor(props: RealSshdProps) {
    this.#props = props;
    mkdirSync(props.folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path("authorized_keys"), "", { mode: 0o600 });
  }

  get host(): string {
    return `git.test:${this.#port}`;
  }

  /** The same for who has no resolver of its own. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Accepts a key by its line, as a git host takes it. */
  authorise(publicKey: string): void {
    writeFileSync(this.#path("authorized_keys"), `${publicKey}\n`, { flag: "a" });
  }

  /** @returns the private key, whose public part the server accepts unless told otherwise */
  makeKey(name: string, args: readonly string[], { accepted = true, passphrase = "" } = {}): string {
    execFileSync("ssh-keygen", ["-q", "-N", passphrase, "-C", name, "-f", this.#path(name), ...args]);
    const publicKey = readFileSync(this.#path(`${name}.pub`), "utf8");
    if (accepted) writeFileSync(this.#path("authorized_keys"), publicKey, { flag: "a" });
    return readFileSync(this.#path(name), "utf8");
  }

  /** Accepts a key by its public part, which is written here from its numbers and not by the code that is tested. */
  accept(publicKey: { readonly type: string; readonly parts: readonly Buffer[] }): void {
    const fields = [Buffer.from(publicKey.type), ...publicKey.parts].map((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return Buffer.concat([length, part]);
    });
    this.authorise(`${publicKey.type} ${Buffer.concat(fields).toString("base64")}`);
  }

  hostKey(type: string): string {
    const [name, key] = readFileSync(this.#path(`host_${type}.pub`), "utf8").split(" ");
    return `${name} ${key}`;
  }

  /** As `ssh-keygen -l` shows it. */
  hostKeyFingerprint(type: string): string {
    const [, fingerprint = ""] = execFileSync("ssh-keygen", ["-l", "-f", this.#path(`host_${type}.pub`)], {
      encoding: "utf8",
    }).split(" ");
    return fingerprint;
  }

  async start(): Promise<void> {
    this.#port = await freePort();
    await this.#serve();
  }

  /** Goes on at the same place with keys that nobody knows, as a host does that was set up anew. */
  async replaceHostKeys(): Promise<void> {
    await this.stop();
    for (const type of this.#hostKeys) rmSync(this.#path(`host_${type}`));
    await this.#serve();
  }

  get #hostKeys(): readonly string[] {
    return this.#props.hostKeys ?? ["ed25519", "rsa"];
  }

  async #serve(): Promise<void> {
    const { passesVersion = true } = this.#props;
    const hostKeys = this.#hostKeys;
    for (const type of hostKeys)
      execFileSync("ssh-keygen", ["-q", "-N", "", "-t", type, "-f", this.#path(`host_${type}`)]);
    const settings = [
      `ListenAddress 127.0.0.1:${this.#port}`,
      ...hostKeys.map((type) => `HostKey ${this.#path(`host_${type}`)}`),
      `AuthorizedKeysFile ${this.#path("authorized_keys")}`,
      "PidFile none",
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      ...(passesVersion ? ["AcceptEnv GIT_PROTOCOL"] : []),
    ];
    writeFileSync(this.#path("config"), settings.join("\n"));
    // Debian makes this folder when the service starts; without it sshd does not.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    this.#process = spawn(program, ["-D", "-e", "-f", this.#path("config")], { stdio: ["ignore", "ignore", "pipe"] });
    await listening(this.#process);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process?.once("close", resolve));
    this.#process?.kill();
    await ended;
  }

  #path(name: string): string {
    return join(this.#props.folder, name);
  }
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Without a terminal and a service manager, sshd says so in its log. */
function listening(process: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = "";
  process.stderr?.on("data", (text) => {
    log += text;
    if (log.includes("Server listening")) resolve();
  });
  process.once("close", () => reject(new Error(`sshd ended: ${log}`)));
  return promise;
}
