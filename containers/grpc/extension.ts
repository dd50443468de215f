import type { MethodDefinition } from "@grpc/grpc-js";
import type * as z from "zod";
import { MalformedMessage } from "./codec.ts";
import { publishedInterface } from "./published-interface.ts";
import { invalidArgument } from "./rpc-error.ts";

/** One method of our own package: where it is, and its messages. They are small or rare, so the library's codec does for them. */
export interface ExtensionMethod<Request extends z.ZodType> {
  readonly path: string;
  /** @throws MalformedMessage, RpcError INVALID_ARGUMENT naming the field */
  readonly decode: (message: Buffer) => z.output<Request>;
  readonly encode: (response: object) => Buffer;
}

/**
 * Describes a method of `hil_serl_ext.v1` by its file and the limits of its request.
 * @param service without its package
 */
export function extensionMethod<Request extends z.ZodType>(
  service: string,
  name: string,
  request: Request,
): ExtensionMethod<Request> {
  const methods = publishedInterface[`hil_serl_ext.v1.${service}`] as Record<string, MethodDefinition<object, object>>;
  const method = methods[name];
  if (!method) throw new Error(`proto/hil_serl_ext.proto has no ${service}.${name}`);
  return {
    path: method.path,
    decode(message) {
      const parsed = request.safeParse(decoded(method, message));
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      throw invalidArgument(`${issue?.path.join(".")}: ${issue?.message}`);
    },
    encode: (response) => method.responseSerialize(response),
  };
}

function decoded(method: MethodDefinition<object, object>, message: Buffer): object {
  try {
    return method.requestDeserialize(message);
  } catch (error) {
    throw new MalformedMessage((error as Error).message);
  }
}
