import { fileURLToPath } from "node:url";
import { type ClientReadableStream, type MethodDefinition, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { type Ending, type MetadataValues, metadataOf, OpenedStream, type PlainClient } from "./plain-client.ts";

const file = fileURLToPath(new URL("../../proto/hil_serl_ext.proto", import.meta.url));
const loaded = loadSync(file, { keepCase: true, defaults: true, longs: Number, enums: String });

// biome-ignore lint/suspicious/noExplicitAny: messages are compared with what a test expects, field by field.
export type Message = any;
type Definition = MethodDefinition<object, Message>;

const definitionOf = (method: string): Definition => {
  const [service, name] = method.split("/") as [string, string];
  return (loaded[`hil_serl_ext.v1.${service}`] as Record<string, Definition>)[name] as Definition;
};

/**
 * Calls a method of our own package, such as "RunService/GetRun", as anybody would from its file.
 * @returns how the call ended, with the answer when that is OK
 */
export async function ask(
  client: PlainClient,
  method: string,
  request: object = {},
  values?: MetadataValues,
): Promise<Ending & { readonly answer: Message }> {
  const { path, requestSerialize, responseDeserialize } = definitionOf(method);
  return await new Promise((resolve) => {
    let answer: Message;
    const call = client.channel.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadataOf(values),
      (_, message) => {
        answer = message;
      },
    );
    call.on("status", ({ code, details, metadata }) =>
      resolve({ code, details, trailers: metadata.getMap(), answer: code === status.OK ? answer : undefined }),
    );
  });
}

/** Opens a method that answers with a stream. */
export function open(
  client: PlainClient,
  method: string,
  request: object = {},
  { values, deadline }: { values?: MetadataValues; deadline?: number } = {},
): OpenedStream<Message> {
  const { path, requestSerialize, responseDeserialize } = definitionOf(method);
  const call: ClientReadableStream<Message> = client.channel.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    metadataOf(values),
    { deadline },
  );
  return new OpenedStream(call);
}
