import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";

/** The floor: takes messages, a length and so many bytes, and answers each with one byte. Speaks as python_server.py does. */
let taken = 0;
const server = createServer({ noDelay: true }, (socket) => {
  let head: Buffer = Buffer.alloc(0);
  let left = 0;
  socket.on("error", () => {});
  socket.on("data", (part: Buffer) => {
    for (let rest = part; rest.length > 0; ) {
      if (left === 0) {
        const missing = 4 - head.length;
        head = Buffer.concat([head, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (head.length < 4) return;
        left = head.readUInt32BE();
        head = Buffer.alloc(0);
      }
      const taking = Math.min(left, rest.length);
      left -= taking;
      rest = rest.subarray(taking);
      if (left > 0) continue;
      taken += 1;
      socket.write("k");
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
for await (const _ of createInterface(process.stdin)) console.log(taken);
