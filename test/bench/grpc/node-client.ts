import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { encodePayload } from "../../../containers/grpc/codec.ts";
import { type Job, sendAll } from "./load.ts";

/** A process that sends what it is told to, with grpc-js or over plain TCP. */
for await (const line of createInterface(process.stdin)) {
  const job = JSON.parse(line) as Job;
  console.log(JSON.stringify(await (job.protocol === "tcp" ? overTcp(job) : overGrpc(job))));
}

async function overGrpc(job: Job) {
  const client = new Client(`127.0.0.1:${job.port}`, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    "grpc.enable_retries": 0,
    "grpc.use_local_subchannel_pool": 1,
  });
  await new Promise<void>((resolve, reject) =>
    client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve())),
  );
  const body = encodePayload(Buffer.alloc(job.bytes));
  const same = (bytes: Buffer) => bytes;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(job.metadata)) metadata.set(name, value);
  const sent = await sendAll(
    job,
    () =>
      new Promise((resolve) => {
        const path = "/hil_serl.LearnerService/SendTransition";
        client.makeUnaryRequest(path, same, same, body, metadata, { deadline: Date.now() + 60_000 }, (error) =>
          resolve(status[error?.code ?? status.OK] as string),
        );
      }),
  );
  client.close();
  return sent;
}

/** One connection for each message that is on its way at once, as a connection without multiplexing needs. */
async function overTcp(job: Job) {
  const idle: Socket[] = [];
  for (let n = 0; n < job.concurrency; n++) {
    const socket = connect(job.port, "127.0.0.1").setNoDelay();
    await once(socket, "connect");
    idle.push(socket);
  }
  const head = Buffer.alloc(4);
  head.writeUInt32BE(job.bytes);
  const message = Buffer.concat([head, Buffer.alloc(job.bytes)]);
  const sent = await sendAll(job, async () => {
    const socket = idle.pop() as Socket;
    const answered = once(socket, "data");
    socket.write(message);
    await answered;
    idle.push(socket);
    return "OK";
  });
  for (const socket of idle) socket.destroy();
  return sent;
}
