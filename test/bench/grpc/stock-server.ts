import { createInterface } from "node:readline";
import { Server, ServerCredentials, type ServerWritableStream, type UntypedHandleCall } from "@grpc/grpc-js";

/** grpc-js as it comes: no windows, no gate, nothing stored. Speaks as python_server.py does. */
const same = (bytes: Buffer) => bytes;
const empty = Buffer.alloc(0);
let taken = 0;

const method = (path: string, responseStream: boolean) => ({
  path,
  requestStream: false,
  responseStream,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
const keep: UntypedHandleCall = (_: unknown, done: (error: null, reply: Buffer) => void) => {
  taken += 1;
  done(null, empty);
};

async function stream(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
  const asked = (name: string) => Number(call.metadata.get(name)[0]);
  const item = Buffer.alloc(asked("x-bench-bytes"));
  for (let left = asked("x-bench-items"); left > 0; left--)
    if (!call.write(item)) await new Promise((drained) => call.once("drain", drained));
  call.end();
}

const server = new Server({ "grpc.max_receive_message_length": -1 });
server.addService(
  { SendTransition: method("/hil_serl.LearnerService/SendTransition", false) },
  { SendTransition: keep },
);
server.addService(
  { StreamTransition: method("/hil_serl.ActorService/StreamTransition", true) },
  { StreamTransition: stream as UntypedHandleCall },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});
for await (const _ of createInterface(process.stdin)) console.log(taken);
