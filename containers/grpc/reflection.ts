import type { MethodDefinition, Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { MalformedMessage } from "./codec.ts";
import { exchange } from "./handlers.ts";
import type { Method } from "./open-call.ts";
import { publishedInterface } from "./published-interface.ts";

type Definition = MethodDefinition<object, object>;
/** The part of a stream of grpc-js that the reflection of the grpc project uses: it writes one answer while it is handed a message. */
interface MessageStream {
  on(event: "data" | "end", listener: (message: object) => void): void;
  write(answer: object): void;
  end(): void;
}

/**
 * `grpc.reflection.v1` and `v1alpha` for the services named. Descriptors are the business of the grpc project's package, which adds itself to a server of
 * grpc-js: here it adds itself to a list.
 */
export function reflectionMethods(services: string[]): Method[] {
  const methods: Method[] = [];
  const collector = {
    addService(definition: Record<string, Definition>, handlers: Record<string, (stream: MessageStream) => void>) {
      for (const [name, { path, requestDeserialize, responseSerialize }] of Object.entries(definition)) {
        const answer = answering(handlers[name] as (stream: MessageStream) => void);
        methods.push(exchange(path, (message) => responseSerialize(answer(decoded(requestDeserialize, message)))));
      }
    },
  };
  new ReflectionService(publishedInterface, { services }).addToServer(collector as unknown as Server);
  return methods;
}

/** What a handler of a stream of messages answers to one. */
function answering(handle: (stream: MessageStream) => void): (message: object) => object {
  let ask: (message: object) => void = () => {};
  let answered: object = {};
  handle({
    on: (event, listener) => {
      if (event === "data") ask = listener;
    },
    write: (answer) => {
      answered = answer;
    },
    end: () => {},
  });
  return (message) => {
    ask(message);
    return answered;
  };
}

function decoded(decode: (message: Buffer) => object, message: Buffer): object {
  try {
    return decode(message);
  } catch (error) {
    throw new MalformedMessage((error as Error).message);
  }
}
