import { fileURLToPath } from "node:url";
import {
  type ChannelCredentials,
  Client,
  type ClientOptions,
  type ClientReadableStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** Messages as protobufjs has them; only the field of its own type is there. */
export interface WireMessage {
  transition_bytes?: Buffer;
  interaction_message_bytes?: Buffer;
  parameter_bytes?: Buffer;
  data?: "transition" | "interaction_message";
  transition?: WireMessage;
  interaction_message?: WireMessage;
}

type Definition = MethodDefinition<WireMessage, WireMessage>;
const file = fileURLToPath(new URL("hil_serl.proto", import.meta.url));
const loaded = loadSync(file, { keepCase: true, defaults: true, oneofs: true }) as unknown as Record<string, unknown>;

export const definitions = {
  LearnerService: loaded["hil_serl.LearnerService"] as Record<"SendTransition" | "SendInteractionMessage", Definition>,
  ActorService: loaded["hil_serl.ActorService"] as Record<"StreamTransition" | "SendParameters", Definition>,
};

export type Method = "SendTransition" | "SendInteractionMessage" | "SendParameters" | "StreamTransition";
const methods: Record<Method, Definition> = { ...definitions.LearnerService, ...definitions.ActorService };

/** How a call ended, as its caller sees it. */
export interface Ending {
  readonly code: number;
  readonly details: string;
  readonly trailers: Record<string, unknown>;
}

export type MetadataValues = Readonly<Record<string, string>>;

export const metadataOf = (values: MetadataValues = {}): Metadata => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
  return metadata;
};

/** A client as anybody would make it from the published interface, without any retry of its own. */
export class PlainClient {
  readonly channel: Client;

  constructor(port: number, given: ChannelCredentials = credentials.createInsecure(), options: ClientOptions = {}) {
    this.channel = new Client(`127.0.0.1:${port}`, given, {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.enable_retries": 0,
      // Every client has a connection of its own; otherwise all clients of a file would share one.
      "grpc.use_local_subchannel_pool": 1,
      ...options,
    });
  }

  /** Sends one message, or bytes as they are, and waits for the status. */
  send(method: Method, message: WireMessage | Buffer, values?: MetadataValues, deadline?: Date): Promise<Ending> {
    const { path, requestSerialize } = methods[method];
    const serialize = (request: WireMessage | Buffer) =>
      Buffer.isBuffer(request) ? request : requestSerialize(request);
    return this.unary(path, serialize(message), values, deadline);
  }

  /** Any unary path with any bytes. @param signal cancels the call */
  unary(
    path: string,
    message: Buffer,
    values?: MetadataValues,
    deadline?: Date,
    signal?: AbortSignal,
  ): Promise<Ending> {
    return new Promise((resolve) => {
      const same = (bytes: Buffer) => bytes;
      let error: ServiceError | null = null;
      const call = this.channel.makeUnaryRequest(
        path,
        same,
        same,
        message,
        metadataOf(values),
        { deadline },
        (failed) => {
          error = failed;
        },
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
      call.on("status", ({ code, details, metadata }) => {
        signal?.removeEventListener("abort", cancel);
        resolve({ code, details: error?.details ?? details, trailers: metadata.getMap() });
      });
    });
  }

  /** Opens the stream of items. */
  stream(values?: MetadataValues, message: WireMessage | Buffer = {}): OpenedStream {
    const { path, requestSerialize, responseDeserialize } = methods.StreamTransition;
    const serialize = (request: WireMessage | Buffer) =>
      Buffer.isBuffer(request) ? request : requestSerialize(request);
    const given = metadataOf(values);
    return new OpenedStream(this.channel.makeServerStreamRequest(path, serialize, responseDeserialize, message, given));
  }

  close(): void {
    this.channel.close();
  }
}

/** A stream of messages and everything that came of it. */
export class OpenedStream<T = WireMessage> {
  readonly call: ClientReadableStream<T>;
  /** Initial metadata. */
  readonly began: Promise<Record<string, unknown>>;
  readonly ended: Promise<Ending>;
  readonly items: T[] = [];
  #wanted: { count: number; resolve: () => void } | undefined;

  constructor(call: ClientReadableStream<T>) {
    this.call = call;
    this.began = new Promise((resolve) => call.once("metadata", (metadata) => resolve(metadata.getMap())));
    this.ended = new Promise((resolve) =>
      call.once("status", ({ code, details, metadata }) => resolve({ code, details, trailers: metadata.getMap() })),
    );
    call.on("error", () => {}); // `ended` has it too
    call.on("data", (item: T) => {
      this.items.push(item);
      if (this.#wanted && this.items.length >= this.#wanted.count) this.#wanted.resolve();
    });
  }

  /** The first so many items, once they are there. */
  async take(count: number): Promise<T[]> {
    if (this.items.length < count) await new Promise<void>((resolve) => (this.#wanted = { count, resolve }));
    return this.items.slice(0, count);
  }

  /** Payloads as text, transitions as they are and interaction messages in brackets. */
  get texts(): string[] {
    const items = this.items as readonly WireMessage[];
    return items.map(({ data, transition, interaction_message: message }) =>
      data === "transition" ? `${transition?.transition_bytes}` : `[${message?.interaction_message_bytes}]`,
    );
  }
}
