import { once } from "node:events";
import { type ServiceError, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { protoPath } from "grpc-health-check";
import { metadataOf, type PlainClient } from "./plain-client.ts";

type Definition = {
  path: string;
  requestSerialize: (value: object) => Buffer;
  responseDeserialize: (bytes: Buffer) => { status: string };
};
const { Check, Watch } = loadSync(protoPath, { enums: String, defaults: true })[
  "grpc.health.v1.Health"
] as unknown as Record<"Check" | "Watch", Definition>;

/** What a health check answers: a serving status, or the name of the code that it failed with. */
export const healthOf = ({ channel }: PlainClient, service: string): Promise<string> =>
  new Promise((resolve) => {
    const done = (error: ServiceError | null, value?: { status: string }) =>
      resolve(error ? (status[error.code] as string) : (value?.status as string));
    channel.makeUnaryRequest(Check.path, Check.requestSerialize, Check.responseDeserialize, { service }, done);
  });

/** Watches a service's health: `next` is the next status that comes. */
export function watchHealth({ channel }: PlainClient, service: string) {
  const { path, requestSerialize, responseDeserialize } = Watch;
  const call = channel.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service }, metadataOf());
  const ended = new Promise<{ code: number }>((resolve) => call.once("status", resolve));
  const statuses: string[] = [];
  call.on("error", () => {}); // `ended` has it too
  call.on("data", (value: { status: string }) => statuses.push(value.status));
  return {
    ended,
    cancel: () => call.cancel(),
    next: async () => {
      while (statuses.length === 0) await once(call, "data");
      return statuses.shift();
    },
  };
}
