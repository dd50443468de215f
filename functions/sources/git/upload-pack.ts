import { SluiceError } from "../../platform/errors.ts";
import { damaged } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import { type PacketReader, packets } from "./packet-reader.ts";

/** A way to talk to `git-upload-pack`: HTTPS asks anew each time, SSH goes on in one stream. Nobody keeps a reader beyond `read`. */
export interface Transport {
  readonly host: string;
  /** What the server says first; to be asked for once, before anything else. */
  greeting<T>(bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T>;
  ask<T>(request: Buffer, bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T>;
}

export interface Refs {
  /** The branch that HEAD names, null where it names none or the server does not say. */
  readonly defaultBranch: string | null;
  /** Commits in hex by the name of their branch, in the order of the server. */
  readonly branches: ReadonlyMap<string, string>;
}

export type ObjectFormat = "sha1" | "sha256";

interface Greeting {
  readonly version: 0 | 2;
  readonly capabilities: readonly string[];
  /** Versions 0 and 1 list references unasked. */
  readonly refs: Refs;
}

const heads = "refs/heads/";
const agent = "agent=sluice";

/**
 * The client of git's smart protocol, as far as reading one commit needs it: version 2, and versions 0 and 1 of servers that do not know it.
 * https://git-scm.com/docs/protocol-v2 and https://git-scm.com/docs/pack-protocol
 * Throws SluiceError repository_* and what the transport throws; nothing that a server says is repeated.
 */
export class UploadPack {
  readonly objectFormat: ObjectFormat;
  readonly #transport: Transport;
  readonly #greeting: Greeting;

  private constructor(transport: Transport, greeting: Greeting) {
    this.#transport = transport;
    this.#greeting = greeting;
    const format = attribute(greeting.capabilities, "object-format") ?? "sha1";
    if (format !== "sha1" && format !== "sha256") throw this.#unexpected();
    this.objectFormat = format;
  }

  static async open(transport: Transport): Promise<UploadPack> {
    const { host } = transport;
    return new UploadPack(transport, await transport.greeting(gitLimits.refsBytes, (from) => readGreeting(from, host)));
  }

  /** Lists branches; with a name only those that begin with it, where the server can choose. */
  async refs(prefix = ""): Promise<Refs> {
    if (this.#greeting.version === 0) return this.#greeting.refs;
    const wanted = ["symrefs", "ref-prefix HEAD", `ref-prefix ${heads}${prefix}`];
    const request = packets("command=ls-refs", ...this.#terms(), "", ...wanted, null);
    return this.#transport.ask(request, gitLimits.refsBytes, async (answer) => {
      const found = new RefList();
      for (let line = await answer.line(); line !== null; line = await answer.line()) {
        const [oid = "", name = "", ...attributes] = line.split(" ");
        this.#refuseError(line);
        found.add(oid, name);
        if (name === "HEAD") found.headIs(attribute(attributes, "symref-target", ":"));
      }
      return found;
    });
  }

  /**
   * Fetches one commit and its tree without history, and lends the pack to `use`.
   * @param contents false for the names of files alone, where the server can leave out the rest
   */
  async fetch<T>(
    commit: string,
    use: (pack: AsyncIterable<Buffer>) => Promise<T>,
    { contents = true }: { readonly contents?: boolean } = {},
  ): Promise<T> {
    const { version, capabilities } = this.#greeting;
    const features = version === 2 ? (attribute(capabilities, "fetch") ?? "").split(" ") : capabilities;
    // Without it the whole history would come, and side bands are older than any server that is alive.
    if (!features.includes("shallow")) throw this.#unexpected();
    const filters = !contents && features.includes("filter") ? ["filter blob:none"] : [];
    const request = version === 2 ? this.#request2(commit, filters) : this.#request0(commit, filters);
    return this.#transport.ask(request, gitLimits.packBytes + gitLimits.refsBytes, async (answer) => {
      await this.#skipToPack(answer);
      return use(this.#packOf(answer));
    });
  }

  #request2(commit: string, filters: readonly string[]): Buffer {
    const wanted = [`want ${commit}`, "deepen 1", ...filters, "ofs-delta", "no-progress", "done"];
    return packets("command=fetch", ...this.#terms(), "", ...wanted, null);
  }

  #request0(commit: string, filters: readonly string[]): Buffer {
    const wishes = ["side-band-64k", "ofs-delta", "no-progress", ...this.#terms()];
    if (filters.length > 0) wishes.push("filter");
    return Buffer.concat([
      packets(`want ${commit} ${wishes.join(" ")}`, "deepen 1", ...filters, null),
      packets("done"),
    ]);
  }

  /** Only what the server said it knows may be said to it. */
  #terms(): string[] {
    const known = this.#greeting.capabilities.map((capability) => capability.split("=", 1)[0]);
    const terms = [agent, `object-format=${this.objectFormat}`];
    return terms.filter((term) => known.includes(term.split("=", 1)[0]));
  }

  /** Version 2 says "packfile"; before it, version 0 says NAK, and both may say which commits have no parents here. */
  async #skipToPack(answer: PacketReader): Promise<void> {
    const last = this.#greeting.version === 2 ? "packfile" : "NAK";
    for (;;) {
      const line = await answer.line();
      if (line === last) return;
      this.#refuseError(line ?? "");
      if (line !== null && !/^(shallow-info|(un)?shallow [0-9a-f]+)$/.test(line)) throw this.#unexpected();
    }
  }

  /** Band 1 is the pack, 2 is progress for people, 3 says why the server gives up. */
  async *#packOf(answer: PacketReader): AsyncGenerator<Buffer> {
    for (;;) {
      const packet = await answer.next();
      if (packet === "flush") return;
      if (!Buffer.isBuffer(packet)) throw damaged(this.#transport.host, "packet");
      if (packet[0] === 1) yield packet.subarray(1);
      else if (packet[0] !== 2) throw this.#unexpected();
    }
  }

  #refuseError(line: string): void {
    if (line.startsWith("ERR ")) throw this.#unexpected();
  }

  #unexpected(): SluiceError {
    return new SluiceError("repository_answer_unexpected", { host: this.#transport.host });
  }
}

async function readGreeting(from: PacketReader, host: string): Promise<Greeting> {
  let line = await from.line();
  if (line?.startsWith("# service=")) {
    await from.line();
    line = await from.line();
  }
  if (line === "version 2") return { version: 2, capabilities: await linesOf(from), refs: new RefList() };
  if (line === "version 1") line = await from.line();
  // This is how a host says over SSH that there is no such repository, or none for this key.
  if (line?.startsWith("ERR ")) throw new SluiceError("repository_not_found", { host });
  return readRefs(line, from);
}

async function linesOf(from: PacketReader): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await from.line(); line !== null; line = await from.line()) lines.push(line);
  return lines;
}

/** The first line also has the capabilities, behind a NUL. A repository without commits may have no line at all. */
async function readRefs(first: string | null, from: PacketReader): Promise<Greeting> {
  const [head = "", capabilityText = ""] = (first ?? "").split("\0");
  const capabilities = capabilityText.split(" ");
  const refs = new RefList();
  for (let line = first === null ? null : head; line !== null; line = await from.line()) {
    const [oid = "", name = ""] = line.split(" ");
    refs.add(oid, name);
  }
  const symrefs = capabilities.filter((capability) => capability.startsWith("symref=HEAD:"));
  refs.headIs(symrefs[0]?.slice("symref=HEAD:".length));
  return { version: 0, capabilities, refs };
}

class RefList implements Refs {
  defaultBranch: string | null = null;
  readonly branches = new Map<string, string>();

  add(oid: string, name: string): void {
    if (name.startsWith(heads) && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid))
      this.branches.set(name.slice(heads.length), oid);
  }

  headIs(target: string | undefined): void {
    if (target?.startsWith(heads)) this.defaultBranch = target.slice(heads.length);
  }
}

const attribute = (pairs: readonly string[], key: string, separator = "="): string | undefined =>
  pairs.find((pair) => pair.startsWith(`${key}${separator}`))?.slice(key.length + 1);
