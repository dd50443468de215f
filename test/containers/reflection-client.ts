import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { loadSync } from "@grpc/proto-loader";
import { metadataOf, type PlainClient } from "./plain-client.ts";

interface Answer {
  list_services_response?: { service: { name: string }[] };
  file_descriptor_response?: { file_descriptor_proto: Buffer[] };
}

type Definition = {
  path: string;
  requestSerialize: (value: object) => Buffer;
  responseDeserialize: (bytes: Buffer) => Answer;
};

const packageFolder = join(dirname(createRequire(import.meta.url).resolve("@grpc/reflection")), "../..");

/** What reflection says: the services, and the text within the file that describes one of them. */
export async function reflect({ channel }: PlainClient, version: "v1" | "v1alpha", symbol: string) {
  const file = join(packageFolder, `build/proto/grpc/reflection/${version}/reflection.proto`);
  const service = loadSync(file, { keepCase: true })[`grpc.reflection.${version}.ServerReflection`];
  const { ServerReflectionInfo: method } = service as unknown as { ServerReflectionInfo: Definition };
  const call = channel.makeBidiStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    metadataOf(),
  );
  call.write({ list_services: "" });
  call.write({ file_containing_symbol: symbol });
  call.end();
  const [services, description] = (await call.toArray()) as Answer[];
  return {
    services: services?.list_services_response?.service.map(({ name }) => name),
    file: Buffer.concat(description?.file_descriptor_response?.file_descriptor_proto ?? []).toString("latin1"),
  };
}
