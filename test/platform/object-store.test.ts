import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { putObject } from "../../functions/platform/object-store.ts";
import { Credentials, sdkEnvironment } from "../../lib/local/credentials.ts";
import { localAccount } from "../../lib/local/service.ts";

it("sends large objects one after the other on one connection, without asking first", async () => {
  const asked: (string | undefined)[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(request.headers.expect);
    request.resume().once("end", () => response.end());
  });
  server.on("checkContinue", (request, response) => {
    response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const caller = new Credentials().issue("operator", `arn:aws:iam::${localAccount.account}:role/operator`);
  Object.assign(process.env, sdkEnvironment(caller, `http://127.0.0.1:${port}`), { AWS_REGION: localAccount.region });

  for (const key of ["one", "two", "three"]) await putObject("bucket", key, Buffer.alloc(8 * 1024 * 1024));

  expect(asked).toEqual([undefined, undefined, undefined]);
  expect(connections).toBe(1);
});
